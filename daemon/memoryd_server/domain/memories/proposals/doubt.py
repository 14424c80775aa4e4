"""Words of English by which what a person writes is no statement of their own, or none that can be understood alone."""

import re

SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|imagine|suppose|supposing|assuming|joking|kidding|jk|sarcas\w*|as if|yeah right|"
    r"dream(?:ed|t|s)?|hypothetically|in theory|on paper|sa(?:y|id|ys|ying)|(?<!would )t(?:ell|ells|old)|according|"
    r"claims?|claimed|thinks|believes|assumes|replied|answered|texted|whispered|quote|supposedly|apparently|allegedly|"
    r"or so|as a joke|not true|just like|acting like|(?:my|the|a|an|our) (?:main |fictional )?(?:character|"
    r"protagonist|narrator|persona|avatar|alter ego)|in (?:the|my|a|this|that|his|her|our) (?:story|novel|book|game|"
    r"scene|movie|film|play|example|scenario|poem|song|lyrics|role|dream|sims|campaign)|for example|e\.g\.)(?!\w)|"
    r"/s\b|[\U0001f643\U0001f644\U0001f61c\U0001f609]|\?",
    re.IGNORECASE,
)
"""Words for the supposed, the invented, jokes and what others say: nothing of a sentence with one is a statement."""
DOUBTED = re.compile(
    r"\b(?:would|wouldn'?t|'d|could|couldn'?t|might|may be|should|maybe|perhaps|probably|possibly|i (?:don'?t |do not "
    r")?(?:think|guess|suppose|believe|bet|reckon|assume|doubt|mean)|i feel like|i wish|i hope|hoping|hopefully|"
    r"wonder(?:ing)?|almost|nearly|not sure|unsure|not necessarily|rumou?r|seems?|seemed|kind of|sort of|who knows|"
    r"god knows)\b",
    re.IGNORECASE,
)
"""Words for the uncertain: a part of a sentence that has one is no statement."""
ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|you're|you've|u|ur|y'all|please|pls|let's|lets)\b", re.IGNORECASE)
UNRESOLVED = re.compile(
    r"\b(?:it|he|she|they|him|them|those|these|there|here|one of them|that one|this one|the same|"
    r"(?:wrong|right|other|new|old|big|small|first|second|last) ones?)\b"
    r"|\bthis(?! (?:morning|afternoon|evening|week|weekend|month|year|summer|winter|spring|fall|autumn|semester|past|"
    r"\w+day)\b)"
    r"|\b(?:like|love|loved|enjoy|did|made|do|at|to|in|of|about|with|for|me|took|painted|saw|wore|got|\w+ing) that\b"
    r"|\bthat$"
    r"|\b(?:it|that|he|she)'s\b|\bto$",
    re.IGNORECASE,
)
"""Words for what only another sentence names."""
OF_OTHERS = re.compile(r"\b(?:her|his|their|its|theirs|hers)\b", re.IGNORECASE)
OF_KIN = re.compile(r"(?:my|our)\b", re.IGNORECASE)
DENYING = re.compile(
    r"\b(?:(?:is|isn't|was) (?:that|this|it) \w+|right|correct|wrong|since when|"
    r"(?:t(?:ell|old)|think|thinks|believe|assume|assumed|sa(?:y|id|ys)|claim|remember|get|got|know) "
    r"(?:\w+ )?(?:that|so|this|it|otherwise)(?=\W*$| i\b| my\b)|"
    r"thinks? so|sure|serious)\b|^\W*(?:\w+ )?\w+(?:n't|nt)? (?:i|we|my \w+)\W*$",
    re.IGNORECASE,
)
"""Questions about the statement before them: whether that is so, or who had the idea."""
PRIVILEGED = re.compile(
    r"\b(?:admin\w*|root|sudo|superuser|owner of (?:this|the) (?:account|system)|authori[sz]ed|permissions?|"
    r"privileges?|clearance|password|passcode|passphrase|pwd?|pin|secret|token|api[ -]?key|credentials?|credit card|"
    r"debit card|cvv|ssn|social security|iban|account number|private key|seed phrase|(?:wi-?fi|wlan|wpa2?)[ -]key)\b"
    r"|\d{6,}|[\w.+-]+@[\w-]+\.\w|https?:|www\.|[{}<>\[\]|\\`]",
    re.IGNORECASE,
)
"""Rights and secrets: neither is to be believed or kept because somebody wrote it."""
