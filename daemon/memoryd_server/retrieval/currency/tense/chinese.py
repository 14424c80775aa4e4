# ruff: noqa: RUF001 - letters of many scripts
"""Chinese."""

from memoryd_server.retrieval.currency.tense.table import PAST, Tense

_VERBS = "喝 吃 住 用 使用 工作 上班 上学 开 喜欢 爱 学 玩 读 看 穿 养 叫 写 说 教"

CHINESE = Tense(
    "zh",
    verbs="\n".join(
        [
            *(f"{verb}: {verb} /" for verb in _VERBS.split()),
            "be: 是 /",
            "have: 有 /",
            "family: 已婚 离婚 单身 未婚 结婚 /",
        ]
    ),
    past=(
        "(?:以前|之前|从前|过去|原来)的(?!$)",
        "(?:以前|之前|从前|曾经|过去|原来|原先|当初|不再|曾)",
        "不(.+)了$",
        "(?<=[住用喝学吃做看读玩])过",
        "前(?=夫|妻|老板|男友|女友|任)",
    ),
    former="以前|之前(?!的一)|从前|曾经|过去|原来|原先|前(?=夫|妻|任)",
    present="现在|目前|如今|眼下|当前|现今|这阵子|当下",
    current="还(?=在|是|喝|吃|用|住)|仍|今天",
    opening=".*(?:什么|哪|谁|几|多少|吗|怎)",
    denials="不|没",
    attribute=r"(?:不再|以前|曾经|从前|过去)[^的，。]+的(?=.)",
    turned=(rf"({PAST}?)在([^{PAST}]+)(工作|上班|上学)$", r"\3\1在\2"),
    single=frozenset({"住", "叫", "family"}),
    is_unspaced=True,
)
