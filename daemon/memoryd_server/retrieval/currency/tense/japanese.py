# ruff: noqa: RUF001 - letters of many scripts
"""Japanese."""

from memoryd_server.retrieval.currency.tense.table import PAST, Tense

_VERBS = "飲 住 働 使 食べ 好き 勤め 読 乗 学 遊 飼 着 書 話 教 通 吸"

JAPANESE = Tense(
    "ja",
    verbs="\n".join([*(f"{verb}: {verb} /" for verb in _VERBS.split()), "family: 結婚 離婚 独身 /"]),
    past=(
        "(?<=は)もう(.*?)(?:ない|ません|なくなった|なくなりました)(?:です)?$",
        "(?:の|こと)?を(?:やめた|止めた|辞めた|やめました)$",
        "なくなった$|なくなりました$",
        "(?<=[はが])(?:以前|かつて|昔)は?",
        "^(?:以前|かつて|昔)は?、",
        "(?<=[てで])い(?:た|ました)$|だった$|でした$",
        "元(?=夫|妻|カノ|カレ|上司)",
    ),
    former="以前|かつて|昔|前は|もともと|当時|元(?=夫|妻|カノ|カレ|上司)",
    present="今(?![年月週日朝晩夜度回後])(?:では|は)?|いま(?!す|せ|し)(?:は)?|現在(?:は)?|このごろ|近頃|最近は",
    current="まだ|今日",
    opening=".*(?:何|どこ|誰|だれ|どの|どんな|いくつ|か[？?]?$)",
    denials="ない$|ません$",
    turned=(rf"^(.*?[はが])(.*)({'|'.join(_VERBS.split())})[^{PAST}]*({PAST}?)$", r"\1\3\4\2"),
    single=frozenset({"住", "family"}),
    is_unspaced=True,
)
