"""Words that say nothing about a text's topic: they are neither indexed nor searched."""

STOP_WORDS = frozenset(
    """
    a an the this that these those here there
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what when where why how
    am is are was were be been being have has had having do does did doing done
    can could might must shall should will would
    and or but nor if then else so than as not no yes
    of at by for from in into on onto to with without within about against between through during
    before after above below over under again further once up down out off
    only own same too very just also both each any all some such other another more most few
    s t d m ll re ve don
    """.split()  # noqa: SIM905 - a list of words is read better than a list of strings
)
"""English articles, pronouns, question words, auxiliaries, conjunctions, prepositions, and the ends of contractions.

"may" is not among them: it is a month.
"""
