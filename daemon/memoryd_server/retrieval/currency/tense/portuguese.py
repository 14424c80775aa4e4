"""Portuguese."""

from memoryd_server.retrieval.currency.tense.table import Tense

PORTUGUESE = Tense(
    "pt",
    verbs="""
        be: é está são estão sou estou ser estar / era eram estava estavam foi foram
        have: tem têm tenho ter / tinha tinham teve
        live: mora moram moro morar vive vivem vivo viver mudou / morava moravam morou vivia viviam viveu
        work: trabalha trabalham trabalho trabalhar / trabalhava trabalhavam trabalhou
        drink: bebe bebem bebo beber / bebia bebiam bebeu
        eat: come comem como comer / comia comiam comeu
        drive: dirige dirigir conduz conduzir / dirigia dirigiu conduzia
        use: usa usam uso usar utiliza utilizar / usava usavam usou utilizava
        favourite: favorito favorita preferido preferida /
        family: casado casada divorciado divorciada solteiro solteira viúvo viúva /
    """,
    past=(
        r"\bjá não\b",
        r"\bnão\b(.*?)\bmais\b(?! (?:\w+ )?(?:do )?que\b)",
        r"(?<!que )\bantes\b(?! de\b| d[oa]\b| que\b)",
        r"\b(?:antigamente|anteriormente|outrora|no passado)\b",
        r"\b(?:deixou|deixei) de\b(?= \w+r\b)",
        r"\bcostumava\b(?= \w+r\b)",
        r"\bantig[oa]\b(?= \w)|\bex-(?=\w)",
    ),
    former=r"\bantes\b(?! de\b| d[oa]\b| que\b)|\b(?:antigamente|anteriormente|outrora)\b"
    r"|\b(?:no passado|já não|antig[oa]|costumava)\b|\bex-",
    present=r"\b(?:agora|atualmente|actualmente|hoje em dia|neste momento|no momento|presentemente)\b",
    current=r"\b(?:ainda|hoje|atual|actual)\b",
    opening=r"(?:o que|quem|onde|qual|quais|quant[oa]s?|como|para quem|com quem|em que)\b",
    cuts="que|quem|porque|mas|e|quando|enquanto|embora|se|onde",
    relatives="que|quem|cujo|cuja|onde",
    first_person=r"eu\b",
    denials=r"\b(?:não|nunca|jamais|sem)\b",
    endings="avam?|iam?|ando|endo|ados?|idos?|ar|er|ir|am|em|as|es|os|ou|eu|iu|a|e|o",
    past_endings="avam?|iam?|ou|eu|iu",
    single=frozenset({"live", "family", "favourite"}),
)
