"""What attnlab computes, made visible: explorers ask attnlab for the numbers, instruments draw them.

A lesson imports explorers (a picture with its sliders, one file each), questions, live training, and charts. Explorers
are built from views: the Matrix, the Chart, the BeamTree. `words` writes the sentences under the pictures.
"""

import gc
from importlib import import_module

import torch  # noqa: F401

# A full pass over the objects of `import torch` takes 0.1 s. It would come within our own imports, and later in the
# middle of a drag. What a notebook makes before this line is not looked at any more; lessons make nothing before it.
gc.freeze()

# Where each name lives: a module is imported when one of its names is first asked for.
HOMES = {
    # explorers, in the order of the lessons
    "TemperatureExplorer": "explorers.l00_start_here.temperature",
    "DigitsInOneNumberExplorer": "explorers.l01_bottleneck.digits_in_one_number",
    "RecallByModelExplorer": "explorers.l01_bottleneck.recall_by_model",
    "AccuracyByLengthExplorer": "explorers.l01_bottleneck.accuracy_by_length",
    "LinearProbeExplorer": "explorers.l01_bottleneck.linear_probe",
    "GradientThroughTimeExplorer": "explorers.l01_bottleneck.gradient_through_time",
    "DecoderStepExplorer": "explorers.l02_looking_back.decoder_step",
    "EncoderDecoderExplorer": "explorers.l02_looking_back.encoder_decoder",
    "DateTranslationExplorer": "explorers.l02_looking_back.date_translation",
    "TranslationExplorer": "explorers.l02_looking_back.translation",
    "TwoWordsExplorer": "explorers.l02_looking_back.two_words",
    "BeamSearchExplorer": "explorers.l02_looking_back.beam_search",
    "QueryDirectionExplorer": "explorers.l03_alignment.query_direction",
    "ScoreComparisonExplorer": "explorers.l03_alignment.score_comparison",
    "WeightingExplorer": "explorers.l03_alignment.weighting",
    "HardAttentionGradientExplorer": "explorers.l03_alignment.hard_attention_gradient",
    "SoftLookupExplorer": "explorers.l04_query_key_value.soft_lookup",
    "QueryKeyValueExplorer": "explorers.l04_query_key_value.query_key_value",
    "AdditiveToScaledExplorer": "explorers.l04_query_key_value.additive_to_scaled",
    "ProjectionsExplorer": "explorers.l04_query_key_value.projections",
    "ScoreVarianceExplorer": "explorers.l04_query_key_value.score_variance",
    "KernelRegressionExplorer": "explorers.l04_query_key_value.kernel_regression",
    "PermutationExplorer": "explorers.l05_self_attention.permutation",
    "ThreeScalarsExplorer": "explorers.l05_self_attention.three_scalars",
    "LetterClassifierExplorer": "explorers.l05_self_attention.letter_classifier",
    "MasksExplorer": "explorers.l06_masks.masks",
    "MaskPlacementExplorer": "explorers.l06_masks.mask_placement",
    "NextLetterLeakExplorer": "explorers.l06_masks.next_letter_leak",
    "ContinuationsExplorer": "explorers.l06_masks.continuations",
    "PositionSchemesExplorer": "explorers.l07_positions.position_schemes",
    "SinusoidsExplorer": "explorers.l07_positions.sinusoids",
    "ShiftMatrixExplorer": "explorers.l07_positions.shift_matrix",
    "RotaryHandsExplorer": "explorers.l07_positions.rotary_hands",
    "LengthGeneralisationExplorer": "explorers.l07_positions.length_generalisation",
    "OneOrTwoHeadsExplorer": "explorers.l08_many_heads.one_or_two_heads",
    "HeadByHandExplorer": "explorers.l08_many_heads.head_by_hand",
    "NumberOfHeadsExplorer": "explorers.l08_many_heads.number_of_heads",
    "LetterHeadAblationExplorer": "explorers.l08_many_heads.letter_head_ablation",
    "TextHeadAblationExplorer": "explorers.l08_many_heads.text_head_ablation",
    "Bertviz": "instruments.bertviz.bertviz",
    "BlockMachineExplorer": "explorers.l09_block.block_machine",
    "RankCollapseExplorer": "explorers.l09_block.rank_collapse",
    "NormsExplorer": "explorers.l09_block.norms",
    "JacobianExplorer": "explorers.l09_block.jacobian",
    "GradientAtStartExplorer": "explorers.l09_block.gradient_at_start",
    "DepthComparisonExplorer": "explorers.l09_block.depth_comparison",
    "TwoTowersExplorer": "explorers.l10_transformer.two_towers",
    "ThreeAttentionsExplorer": "explorers.l10_transformer.three_attentions",
    "LearningRateScheduleExplorer": "explorers.l10_transformer.learning_rate_schedule",
    "TrainingAblationExplorer": "explorers.l10_transformer.training_ablation",
    "WeightSharingDepthExplorer": "explorers.l10_transformer.weight_sharing_depth",
    "NextTokenExplorer": "explorers.l11_small_gpt.next_token",
    "GPTMachineExplorer": "explorers.l11_small_gpt.gpt_machine",
    "HeadViewExplorer": "explorers.l11_small_gpt.head_view",
    "LayerCostsExplorer": "explorers.l12_cost.layer_costs",
    "ReceptiveFieldExplorer": "explorers.l12_cost.receptive_field",
    "ScalingFitExplorer": "explorers.l12_cost.scaling_fit",
    "ModelSizeExplorer": "explorers.l12_cost.model_size",
    "TrainingBillExplorer": "explorers.l12_cost.training_bill",
    "BleuAgainstFlopsExplorer": "explorers.l12_cost.bleu_against_flops",
    "CaptionExplorer": "explorers.l13_seeing.captions",
    "CaptionerMachineExplorer": "explorers.l13_seeing.captioner_machine",
    "GazePathExplorer": "explorers.l13_seeing.gaze_path",
    "OneMapExplorer": "explorers.l13_seeing.one_map",
    "QuestionExplorer": "explorers.l13_seeing.questions",
    "YourGlimpsesExplorer": "explorers.l14_glimpses.your_glimpses",
    "ModelGlimpsesExplorer": "explorers.l14_glimpses.model_glimpses",
    "GlimpseMachineExplorer": "explorers.l14_glimpses.glimpse_machine",
    "GazeGradientExplorer": "explorers.l14_glimpses.gaze_gradient",
    "PhotographExplorer": "explorers.l14_glimpses.photograph",
    "PictureCostExplorer": "explorers.l14_glimpses.picture_cost",
    "FarMarksExplorer": "explorers.l15_vision_transformer.far_marks",
    "ShuffledPatchesExplorer": "explorers.l15_vision_transformer.shuffled_patches",
    "PatchSizeExplorer": "explorers.l15_vision_transformer.patch_size",
    "HeadsOnImageExplorer": "explorers.l15_vision_transformer.heads_on_image",
    "ViTMachineExplorer": "explorers.l15_vision_transformer.vit_machine",
    "RolloutEffectExplorer": "explorers.l15_vision_transformer.rollout_effect",
    "HiddenWordsExplorer": "explorers.l16_pretraining.hidden_words",
    "MixtureExplorer": "explorers.l16_pretraining.mixture",
    "FewLabelsExplorer": "explorers.l16_pretraining.few_labels",
    "PublishedScoresExplorer": "explorers.l16_pretraining.published_scores",
    "SinkExplorer": "explorers.l17_real_models.sink",
    "SwappedRowExplorer": "explorers.l17_real_models.swapped_row",
    "CopyingHeadsExplorer": "explorers.l17_real_models.copying_heads",
    "AtomMappingExplorer": "explorers.l17_real_models.atom_mapping",
    "ScoreSourcesExplorer": "explorers.l17_real_models.score_sources",
    "HeadsExplorer": "explorers.any_model.heads",
    "ModelMachineExplorer": "explorers.any_model.machine",
    "ImageExplorer": "explorers.any_model.image",
    # the same questions before the course and after it
    "SixQuestions": "explorers.course.six_questions",
    # questions before the picture
    "Predict": "explorers.course.kept_guesses",
    "PredictCell": "explorers.course.kept_guesses",
    "PredictNumber": "explorers.course.kept_guesses",
    "guess": "explorers.course.kept_guesses",
    # live training, and figures in our look
    "Training": "instruments.training.training",
    "Chart": "instruments.chart.chart",
    "figure": "instruments.chart.chart",
    "curve": "instruments.chart.chart",
    "points": "instruments.chart.chart",
    "bars": "instruments.chart.chart",
    "Table": "instruments.table.table",
    "SideBySide": "instruments.side_by_side.side_by_side",
    # what explorers are made of
    "Explorer": "base.explorer",
    "Controls": "base.controls",
    "Caption": "base.caption",
    "Matrix": "instruments.matrix.matrix",
    "BeamTree": "instruments.beam_tree.beam_tree",
    "TokenGrid": "instruments.token_grid.token_grid",
    "Picture": "instruments.picture.picture",
    "Product": "instruments.product.product",
    "Machine": "instruments.machine.machine",
    "VectorPlane": "instruments.vector_plane.vector_plane",
    "TextColumns": "instruments.text_columns.text_columns",
    "TokenFlow": "instruments.token_flow.token_flow",
    "WordTiles": "instruments.word_tiles.word_tiles",
    "Questions": "instruments.questions.questions",
    "HeadSwitches": "instruments.head_switches.head_switches",
    "Molecules": "instruments.molecules.molecules",
    "HeadMap": "instruments.head_map.head_map",
    "Instrument": "base.instrument",
}

__all__ = list(HOMES)


def __getattr__(name) -> object:
    if name not in HOMES:
        raise AttributeError(f"widgets has no {name!r}; it has {', '.join(HOMES)}")
    found = getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *HOMES]
