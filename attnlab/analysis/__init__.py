"""What models do, measured: functions that the pictures show and anyone may call.

A measurement that a picture needs is imported from here; what else belongs to it stands in its module. The rooms:
`heads` (what weights say), `vectors` (what lies in them), `words` and `images` (what models of each do), `learning`
(what training does and costs), `graphs` (a model as a machine).
"""

from attnlab.analysis.graphs.graph import Graph, shape_in_words
from attnlab.analysis.graphs.heard_graph import heard_graph, hidden_numbers
from attnlab.analysis.graphs.machine_spec import (
    MachineSpec,
    colour_limits,
    largest_branch,
    machine_spec,
    run_machine,
    with_gains,
)
from attnlab.analysis.graphs.model_graph import model_graph
from attnlab.analysis.heads.aligned_words import aligned_shares, even_aligned_share
from attnlab.analysis.heads.atom_mapping import (
    MappingAccuracy,
    atom_weights,
    likeliest_sources,
    mapping_accuracy,
    name_hidden_atoms,
    right_sources,
    weights_of_passes,
    where_it_goes,
    without_model,
)
from attnlab.analysis.heads.attention_flow import attention_flow
from attnlab.analysis.heads.copying_heads import CopyStudy, SecondRound, copy_scores, copy_study, second_round
from attnlab.analysis.heads.head_effects import HeadEffect, head_effects, stands_out
from attnlab.analysis.heads.head_patterns import describe, heads_in, share_at, text_patterns, without
from attnlab.analysis.heads.rollout import attention_rollout
from attnlab.analysis.heads.score_sources import ScoreSources, over_mean_key, score_sources, weights_without
from attnlab.analysis.heads.sinks import (
    Resting,
    RestingImage,
    SinkRuns,
    forbidden,
    resting,
    resting_image,
    sink_runs,
)
from attnlab.analysis.heads.swapped_rows import furthest_row, row_difference
from attnlab.analysis.heads.three_attentions import ThreeAttentions, attention_square, three_attentions
from attnlab.analysis.images.caption_steps import (
    AnswerMap,
    CaptionSteps,
    answer_map,
    caption_steps,
    drawn_exact,
    word_shares,
)
from attnlab.analysis.images.captions import (
    Dragged,
    difference_of_maps,
    drag_to_other,
    dragged,
    share_inside,
    share_of_area,
)
from attnlab.analysis.images.covered_patches import covered, fall_of_logit, rank_correlation
from attnlab.analysis.images.digit_shares import digit_regions, digit_shares, even_digit_shares
from attnlab.analysis.images.glimpses_and_thumbnail import GlimpsesAndThumbnail, glimpses_and_thumbnail, thumbnail
from attnlab.analysis.images.patch_maps import PatchMaps, agreement, head_weights, patch_maps
from attnlab.analysis.images.seen_image import SeenImage, see_image
from attnlab.analysis.images.shuffled_patches import right_when_shuffled, shuffled
from attnlab.analysis.images.uncovered import Uncovered, uncovered
from attnlab.analysis.learning.ablation import Run, factor_effects
from attnlab.analysis.learning.accuracy import (
    accuracy_by_kind,
    length_at,
    right_answers,
    share_by_length,
    weight_on_right,
)
from attnlab.analysis.learning.gradients import (
    block_gradients,
    gradient_by_distance,
    gradient_through_time,
    push_on_scores,
    scale_recurrence,
    share_without_push,
)
from attnlab.analysis.learning.initialisation import scale_weights
from attnlab.analysis.learning.jacobians import jacobian_norms
from attnlab.analysis.learning.layer_kinds import LAYER_KINDS, random_layers
from attnlab.analysis.learning.published_scores import GLUE, GPT_ABLATIONS, Gains, gains
from attnlab.analysis.learning.reinforce import draw_rewards, exact_gradient, reinforce_estimates, reward_of_each_key
from attnlab.analysis.learning.repeated import mean_and_range
from attnlab.analysis.learning.saturation import saturation
from attnlab.analysis.learning.scaling import PowerLaw, power_law
from attnlab.analysis.learning.spent import flops, kept_bytes, seconds
from attnlab.analysis.vectors.attend_at_places import attend_at_places
from attnlab.analysis.vectors.convex_hull import convex_hull
from attnlab.analysis.vectors.digit_packing import pack_digits, unpack_digits
from attnlab.analysis.vectors.duplicates import first_equal
from attnlab.analysis.vectors.plane_scores import plane_scores
from attnlab.analysis.vectors.position_shift import shift_matrix
from attnlab.analysis.vectors.position_tables import POSITION_TABLES
from attnlab.analysis.vectors.probes import linear_probe, read_and_write
from attnlab.analysis.vectors.projections import Projections, project, projection_graph
from attnlab.analysis.vectors.rank_collapse import cosine_similarities, hidden_states, mean_cosine
from attnlab.analysis.vectors.rotary_pairs import RotaryPairs, rotary_pairs, scores_by_place
from attnlab.analysis.words.bag_of_words import bag_vectors, nearest_mean, rarity
from attnlab.analysis.words.beam_exact import beam_exact
from attnlab.analysis.words.ending_rule import by_ending
from attnlab.analysis.words.known_words import known_share
from attnlab.analysis.words.next_token import probability, surprise, with_others
from attnlab.analysis.words.samples import Samples
from attnlab.analysis.words.sentence_vectors import sentence_vectors
from attnlab.analysis.words.translation_steps import TranslationSteps, additive_terms, translation_steps, with_weights
from attnlab.analysis.words.word_guesses import guess_from_both_sides, guess_from_the_left

__all__ = [
    "GLUE",
    "GPT_ABLATIONS",
    "LAYER_KINDS",
    "POSITION_TABLES",
    "AnswerMap",
    "CaptionSteps",
    "CopyStudy",
    "Dragged",
    "Gains",
    "GlimpsesAndThumbnail",
    "Graph",
    "HeadEffect",
    "MachineSpec",
    "MappingAccuracy",
    "PatchMaps",
    "PowerLaw",
    "Projections",
    "Resting",
    "RestingImage",
    "RotaryPairs",
    "Run",
    "Samples",
    "ScoreSources",
    "SecondRound",
    "SeenImage",
    "SinkRuns",
    "ThreeAttentions",
    "TranslationSteps",
    "Uncovered",
    "accuracy_by_kind",
    "additive_terms",
    "agreement",
    "aligned_shares",
    "answer_map",
    "atom_weights",
    "attend_at_places",
    "attention_flow",
    "attention_rollout",
    "attention_square",
    "bag_vectors",
    "beam_exact",
    "block_gradients",
    "by_ending",
    "caption_steps",
    "colour_limits",
    "convex_hull",
    "copy_scores",
    "copy_study",
    "cosine_similarities",
    "covered",
    "describe",
    "difference_of_maps",
    "digit_regions",
    "digit_shares",
    "drag_to_other",
    "dragged",
    "draw_rewards",
    "drawn_exact",
    "even_aligned_share",
    "even_digit_shares",
    "exact_gradient",
    "factor_effects",
    "fall_of_logit",
    "first_equal",
    "flops",
    "forbidden",
    "furthest_row",
    "gains",
    "glimpses_and_thumbnail",
    "gradient_by_distance",
    "gradient_through_time",
    "guess_from_both_sides",
    "guess_from_the_left",
    "head_effects",
    "head_weights",
    "heads_in",
    "heard_graph",
    "hidden_numbers",
    "hidden_states",
    "jacobian_norms",
    "kept_bytes",
    "known_share",
    "largest_branch",
    "length_at",
    "likeliest_sources",
    "linear_probe",
    "machine_spec",
    "mapping_accuracy",
    "mean_and_range",
    "mean_cosine",
    "model_graph",
    "name_hidden_atoms",
    "nearest_mean",
    "over_mean_key",
    "pack_digits",
    "patch_maps",
    "plane_scores",
    "power_law",
    "probability",
    "project",
    "projection_graph",
    "push_on_scores",
    "random_layers",
    "rank_correlation",
    "rarity",
    "read_and_write",
    "reinforce_estimates",
    "resting",
    "resting_image",
    "reward_of_each_key",
    "right_answers",
    "right_sources",
    "right_when_shuffled",
    "rotary_pairs",
    "row_difference",
    "run_machine",
    "saturation",
    "scale_recurrence",
    "scale_weights",
    "score_sources",
    "scores_by_place",
    "second_round",
    "seconds",
    "see_image",
    "sentence_vectors",
    "shape_in_words",
    "share_at",
    "share_by_length",
    "share_inside",
    "share_of_area",
    "share_without_push",
    "shift_matrix",
    "shuffled",
    "sink_runs",
    "stands_out",
    "surprise",
    "text_patterns",
    "three_attentions",
    "thumbnail",
    "translation_steps",
    "uncovered",
    "unpack_digits",
    "weight_on_right",
    "weights_of_passes",
    "weights_without",
    "where_it_goes",
    "with_gains",
    "with_others",
    "with_weights",
    "without",
    "without_model",
    "word_shares",
]
