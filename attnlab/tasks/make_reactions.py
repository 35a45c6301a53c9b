"""Makes `reactions.json`: `python -m attnlab.tasks.make_reactions`, with rdkit 2026.9.1, which nothing else needs.

Each kind of reaction is a rule (SMARTS) and two lists of building blocks; solvents and bases stand beside them, which
lose no atom to the product. Every atom of a building block gets a number of its own before the rule is applied, as its
isotope, and the product's atoms still bear them: that is the truth.
"""

import json
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from attnlab.tasks.reactions import FILE, WRITINGS

EACH, TRIES, SEED = 10, 60, 0
ACIDS = (
    "CC(=O)O OC(=O)c1ccccc1 CC(C)CC(=O)O OC(=O)c1ccncc1 COc1ccc(CC(=O)O)cc1 OC(=O)C1CCCC1 Cc1ccc(C(=O)O)cc1 "
    "OC(=O)CCc1ccccc1"
)
AMINES = "CCN NCc1ccccc1 C1CCNCC1 CNC Nc1ccc(F)cc1 C1COCCN1 NC1CCCCC1 CC(C)N NCCc1ccc(OC)cc1 CN1CCNCC1"
ALCOHOLS = "CCO OCc1ccccc1 CC(C)O OC1CCCCC1 COCCO OCCc1ccccn1 CCCCO"
ARYL_BROMIDES = "Brc1ccccc1 COc1ccc(Br)cc1 Brc1ccncc1 Cc1cccc(Br)c1 N#Cc1ccc(Br)cc1 Brc1cccs1"
BORONIC_ACIDS = "OB(O)c1ccccc1 COc1ccc(B(O)O)cc1 OB(O)c1ccc(F)cc1 Cc1ccccc1B(O)O OB(O)c1ccoc1"
ARYL_FLUORIDES = "O=[N+]([O-])c1ccc(F)cc1 N#Cc1ccc(F)cc1 Fc1ccccn1 O=[N+]([O-])c1ccccc1F"
BROMIDES = "CCBr BrCc1ccccc1 CC(C)CBr BrCCc1ccccc1 COCCBr"
PHENOLS = "Oc1ccccc1 COc1ccc(O)cc1 Oc1ccc(Cl)cc1 Oc1cccnc1 Cc1cccc(O)c1"
ALDEHYDES = "O=Cc1ccccc1 COc1ccc(C=O)cc1 CCC=O O=Cc1ccncc1 O=CC1CCCCC1"
SULFONYL_CHLORIDES = "CS(=O)(=O)Cl Cc1ccc(S(=O)(=O)Cl)cc1 O=S(=O)(Cl)c1ccccc1"
PROTECTED = "CC(C)(C)OC(=O)NCc1ccccc1 CC(C)(C)OC(=O)N1CCNCC1 CC(C)(C)OC(=O)NC1CCCCC1 CC(C)(C)OC(=O)NCCc1ccccc1"
NITRO = "O=[N+]([O-])c1ccccc1 COc1ccc([N+](=O)[O-])cc1 Cc1ccc([N+](=O)[O-])cc1 O=[N+]([O-])c1ccc(N2CCOCC2)cc1"
ISOCYANATES = "O=C=Nc1ccccc1 CCN=C=O COc1ccc(N=C=O)cc1"
DIENES, ALKENES = "C=CC=C CC(=C)C=C C=CC=CC", "C=CC#N C=CC(=O)OC C=CC(C)=O"
BYSTANDERS = "CCN(CC)CC C1CCOC1 ClCCl CN(C)C=O O=C([O-])[O-].[K+].[K+] Cl O CO"
RULES = {
    "amide": ("[C:1](=[O:2])[OH].[N;H2,H1;!$(NC=O):3]>>[C:1](=[O:2])[N:3]", ACIDS, AMINES),
    "ester": ("[C:1](=[O:2])[OH].[C;!$(C=O):3][OH:5]>>[C:1](=[O:2])[O:5][C:3]", ACIDS, ALCOHOLS),
    "Suzuki": ("[c:1]Br.[c:2]B(O)O>>[c:1]-[c:2]", ARYL_BROMIDES, BORONIC_ACIDS),
    "SNAr": ("[c:1]F.[N;H2,H1;!$(NC=O):2]>>[c:1][N:2]", ARYL_FLUORIDES, AMINES),
    "ether": ("[C:1]Br.[OH:2][c:3]>>[C:1][O:2][c:3]", BROMIDES, PHENOLS),
    "reductive amination": ("[CH1:1](=O)[#6:3].[N;H2,H1;!$(NC=O):2]>>[CH2:1]([#6:3])[N:2]", ALDEHYDES, AMINES),
    "sulfonamide": ("[S:1](=[O:2])(=[O:3])Cl.[N;H2,H1:4]>>[S:1](=[O:2])(=[O:3])[N:4]", SULFONYL_CHLORIDES, AMINES),
    "Boc removal": ("CC(C)(C)OC(=O)[N:1]>>[N:1]", PROTECTED),
    "nitro reduction": ("[c:1][N+:2](=O)[O-]>>[c:1][NH2+0:2]", NITRO),
    "urea": ("[N:1]=[C:2]=[O:3].[N;H2,H1:4]>>[N:1][C:2](=[O:3])[N:4]", ISOCYANATES, AMINES),
    "Diels-Alder": (
        "[C:1]=[C:2]-[C:3]=[C:4].[C:5]=[C:6]>>[C:1]1-[C:2]=[C:3]-[C:4]-[C:6]-[C:5]1",
        DIENES,
        ALKENES,
    ),
}


class Made(NamedTuple):
    """product: with each atom's number as its property "from"; a bystander's atoms have none."""

    precursors: list[Any]
    product: Any


def main() -> None:
    generator, found = random.Random(SEED), []
    for kind, (rule, *blocks) in RULES.items():
        made: dict[str, tuple[str, Made]] = {}
        for _ in range(TRIES):
            drawn = [generator.choice(block.split()) for block in blocks]
            beside = generator.sample(BYSTANDERS.split(), generator.choice([0, 1, 2]))
            one = react(rule, drawn, beside, generator)
            if one is not None:
                made.setdefault(written(kind, one)[1], (kind, one))
            if len(made) == EACH:
                break
        found += made.values()
    shuffled = random.Random(SEED)
    alls = [
        [written(kind, one) for kind, one in found],
        [written(kind, Made(one.precursors, reordered(one.product, shuffled))) for kind, one in found],
        [written(kind, Made(*(reordered(each, shuffled) for each in one))) for kind, one in found],
    ]
    text = json.dumps(dict(zip(WRITINGS, alls, strict=True)), separators=(",", ":"))
    FILE.write_text(text.replace('],["', '],\n["').replace(':[["', ':[\n["') + "\n", encoding="utf-8")


def react(rule: str, blocks: Sequence[str], beside: Sequence[str], generator: random.Random) -> Made | None:
    """None where the rule does not fit these building blocks."""
    from rdkit.Chem import MolFromSmiles, SanitizeMol
    from rdkit.Chem.AllChem import ReactionFromSmarts

    molecules = [MolFromSmiles(block) for block in blocks]
    for k, molecule in enumerate(molecules):
        for atom in molecule.GetAtoms():
            atom.SetIsotope(200 * (k + 1) + atom.GetIdx() + 1)
    products = ReactionFromSmarts(rule).RunReactants(tuple(molecules))
    if not products:
        return None
    product = products[0][0]
    SanitizeMol(product)
    for molecule in [*molecules, product]:
        for atom in molecule.GetAtoms():
            atom.SetIntProp("from", atom.GetIsotope())
            atom.SetIsotope(0)
    if not all(atom.GetIntProp("from") for atom in product.GetAtoms()):
        return None
    order = [*molecules, *(MolFromSmiles(one) for one in beside)]
    generator.shuffle(order)
    return Made(order, product)


def reordered(molecules: Any, generator: random.Random) -> Any:
    """The same molecule, or molecules, with the atoms in an order that is drawn, and marked to be written in it."""
    from rdkit.Chem import RenumberAtoms

    if isinstance(molecules, list):
        return [reordered(molecule, generator) for molecule in molecules]
    order = list(range(molecules.GetNumAtoms()))
    generator.shuffle(order)
    renumbered = RenumberAtoms(molecules, order)
    renumbered.SetBoolProp("as numbered", True)
    return renumbered


def written(kind: str, one: Made) -> tuple[str, str, list[int], list[int]]:
    """As `Reaction` has it."""
    from rdkit.Chem import CanonicalRankAtoms

    lines, places, alike = [], {}, []
    for molecule in one.precursors:
        text, order = line(molecule)
        ranks = CanonicalRankAtoms(molecule, breakTies=False)
        for index in order:
            atom = molecule.GetAtomWithIdx(index)
            if atom.HasProp("from"):
                places[atom.GetIntProp("from")] = len(alike)
            alike.append((len(lines), ranks[index]))
        lines.append(text)
    text, order = line(one.product)
    sources = [places[one.product.GetAtomWithIdx(index).GetIntProp("from")] for index in order]
    names = {name: number for number, name in enumerate(dict.fromkeys(alike))}
    return kind, f"{'.'.join(lines)}>>{text}", sources, [names[one] for one in alike]


def line(molecule: Any) -> tuple[str, list[int]]:
    """The molecule's line, and its atoms in the order in which they stand there."""
    from rdkit.Chem import MolToSmiles

    text = MolToSmiles(molecule, canonical=not molecule.HasProp("as numbered"))
    return text, list(molecule.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"])


if __name__ == "__main__":
    main()
