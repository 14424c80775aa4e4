"""Spanish."""

from memoryd_server.retrieval.currency.tense.table import Tense

SPANISH = Tense(
    "es",
    verbs="""
        be: es está son están soy estoy ser estar / era eran estaba estaban fue fueron
        have: tiene tienen tengo tener / tenía tenían tuvo
        live: vive viven vivo vivir reside mudó / vivía vivían vivió residía
        work: trabaja trabajan trabajo trabajar / trabajaba trabajaban trabajó
        drink: bebe beben bebo beber / bebía bebían bebió
        eat: come comen como comer / comía comían comió
        drive: conduce conducen conduzco conducir / conducía condujo
        use: usa usan uso usar utiliza utilizar / usaba usaban usó utilizaba utilizó
        favourite: favorito favorita preferido preferida /
        family: casado casada divorciado divorciada soltero soltera viudo viuda /
    """,
    past=(
        r"\bya no\b",
        r"(?<!que )\bantes\b(?! de\b| que\b)",
        r"\b(?:anteriormente|antiguamente|previamente|en el pasado|en otro tiempo|antaño)\b",
        r"\b(?:dejó|ha dejado|dejé|he dejado) de\b(?= \w+r\b)",
        r"\bsol[íi]an?\b(?= \w+r\b)",
        r"\bantigu[oa]\b(?= \w)|\bex-(?=\w)|\bex(?=(?:marido|mujer|espos|jef|novi|emplead))",
    ),
    former=r"\bantes\b(?! de\b| que\b)"
    r"|\b(?:anteriormente|antiguamente|previamente|en el pasado|ya no|antigu[oa]|anterior)\b"
    r"|\bsol[íi]an?\b|\bex-",
    present=r"\b(?:ahora(?: mismo)?|actualmente|hoy en día|hoy día|en este momento|en la actualidad|por ahora)\b",
    current=r"\b(?:todavía|aún|sigue|actual(?:es)?)\b",
    opening=r"(?:qué|quién|quiénes|dónde|cuál|cuáles|cuánt[oa]s?|cómo|para quién|con quién|en qué|de qué|a qué)\b",
    cuts="que|quien|porque|pero|y|e|cuando|mientras|aunque|si|donde",
    relatives="que|quien|cuyo|cuya|donde",
    first_person=r"yo\b",
    denials=r"\b(?:no|nunca|jamás|sin|tampoco)\b",
    endings="aban?|ían?|iendo|ando|ados?|idos?|ar|er|ir|an|en|as|es|os|ió|ó|a|e|o",
    past_endings="aban?|ían?|ió|ó",
    single=frozenset({"live", "family", "favourite"}),
)
