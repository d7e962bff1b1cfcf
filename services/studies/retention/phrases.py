"""The sentences of made-up scenarios, several sets of them, so that a policy cannot have been fitted to one wording.

Only words belong here; who needs what is decided in `scenarios`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """`named` makes a thing's name of its kind and its mark; `marks` are kinds as identifiers begin with them."""

    kinds: tuple[str, ...]
    people: tuple[str, ...]
    acts: tuple[str, ...]
    things: tuple[str, ...]
    chatter: tuple[str, ...]
    holds: str
    stands: str
    lets: str
    asks: str
    both: str
    query: str
    direct: tuple[str, ...]
    joint: str = " and "
    named: str = "{kind} {mark}"
    marks: tuple[tuple[str, str], ...] = ()

    def mark(self, kind: str) -> str:
        return dict(self.marks).get(kind, kind)


def first_up(text: str) -> str:
    return text[0].upper() + text[1:]


HEADS = ("bra", "cor", "del", "fin", "gal", "hol", "jun", "kel", "lam", "mor", "nar", "pel", "rud", "sol")
TAILS = ("bin", "dex", "fal", "gor", "lin", "mas", "nok", "ris", "tam", "vel", "wen", "zar")
"""Syllables of plain words that name things where identifiers are hidden."""

OFFICE = Phrases(
    kinds=("permit", "badge", "voucher", "charter", "mandate", "licence", "warrant", "docket", "seal", "writ"),
    people=(
        "Amara", "Bjorn", "Chloe", "Dmitri", "Esther", "Fatou", "Goran", "Hana", "Ilse", "Jonas", "Kofi", "Lucia",
    ),
    acts=("publish", "merge", "unlock", "transfer", "rename", "freeze", "inspect", "retire"),
    things=(
        "tariff table", "harbour plan", "payroll sheet", "sensor archive",
        "grain contract", "museum index", "tram schedule", "vaccine register",
    ),
    chatter=(
        "{person} reviewed {count} pages about the {thing} during lunch.",
        "Reminder from {person}: the {thing} workshop moved to room {count}.",
        "{person} counted {count} open questions on the {thing} last week.",
        "Minutes: {person} and {other} compared {count} ways to print the {thing}.",
        "The {thing} page loaded slowly {count} times, said {person}.",
    ),
    holds="{person} was handed {held}.",
    stands="{held} stands for {following}.",
    lets="{held} lets its holder {act} the {thing}.",
    asks="{rule} asks for {held}.",
    both="Whoever has {one} and {other} can {act} the {thing}.",
    query="Can {person} {act} the {thing}? Say yes or no.",
    direct=(
        "{person} wants to {act} the {thing} and filed {item} for it.",
        "The request of {person} to {act} the {thing} was checked under {item}.",
        "To {act} the {thing}, {person} also needs the stamp on {item}.",
    ),
)  # fmt: skip

# Written after the policies were fixed, and never tuned on: other sentences, other order of what they name.
PLATFORM = Phrases(
    kinds=("token", "role", "scope", "profile", "tenant", "cert", "lease", "policy", "grant", "volume"),
    people=(
        "svc-atlas", "svc-birch", "svc-cedar", "svc-delta", "svc-ember", "svc-fjord",
        "svc-grove", "svc-heron", "svc-indigo", "svc-jasper", "svc-kestrel", "svc-lagoon",
    ),
    acts=("restart", "scale", "drain", "patch", "snapshot", "expose", "throttle", "rotate"),
    things=(
        "checkout queue", "invoice worker", "search cluster", "image cache",
        "audit stream", "login gateway", "metrics store", "mail relay",
    ),
    chatter=(
        "INFO health probe of the {thing} answered in {count} ms, asked by {person}",
        "WARN {person} retried a call to the {thing} {count} times and went on",
        "{person} and {other} drew {count} spans while tracing the {thing}",
        "dashboards: the {thing} panel was opened {count} times by {person}",
    ),
    holds="{held} <- issued to {person} at login",
    stands="{following} is derived from {held} by the broker",
    lets="on the {thing}, {act} is open to callers with {held}",
    asks="{rule} is composed of {held}",
    both="to {act} the {thing} a caller presents {one}, then {other}",
    query="is {person} authorised to {act} the {thing}?",
    direct=(
        "{person} asked to {act} the {thing}, see {item}",
        "change {item}: {person} may {act} the {thing} in the night window",
        "after {item} nothing stands against {person} wanting to {act} the {thing}",
    ),
    joint=", ",
)  # fmt: skip

WERFT = Phrases(
    kinds=("Schein", "Pass", "Siegel", "Auftrag", "Stempel", "Vollmacht", "Marke", "Beleg"),
    people=("Anke", "Bernd", "Carla", "Detlef", "Elif", "Frieda", "Gerrit", "Heike", "Ivo", "Jasna", "Knut", "Lale"),
    acts=("verladen", "prüfen", "öffnen", "versiegeln", "umbuchen", "stilllegen", "vermessen", "freigeben"),
    things=(
        "Trockendock", "Ersatzteillager", "Kranbuch", "Schweißprotokoll",
        "Ölregister", "Ankerverzeichnis", "Werftarchiv", "Lotsenplan",
    ),
    chatter=(
        "{person} hat gestern {count} Fotos vom {thing} gemacht.",
        "Beim {thing} gab es laut {person} {count} Minuten Pause.",
        "{person} und {other} sprachen {count} Mal über das {thing}.",
        "Für das {thing} sind {count} neue Schlösser bestellt, sagt {person}.",
    ),
    holds="{person} bekam {held} ausgehändigt.",
    stands="Wer {held} vorlegt, dem wird {following} zugeschrieben.",
    lets="Mit {held} darf man das {thing} {act}.",
    asks="Für {rule} braucht es {held}.",
    both="Das {thing} {act} darf, wer {one} sowie {other} hat.",
    query="Darf {person} das {thing} {act}? Antworte mit ja oder nein.",
    direct=(
        "{person} möchte das {thing} {act} und reichte {item} ein.",
        "Der Antrag von {person}, das {thing} zu {act}, liegt bei {item}.",
        "Bevor {person} das {thing} {act} darf, wird {item} geprüft.",
    ),
    joint=" und ",
    marks=(("Schein", "schein"), ("Pass", "pass"), ("Siegel", "siegel"), ("Auftrag", "auftrag")),
)  # fmt: skip

KUFANG = Phrases(
    kinds=("通行证", "工牌", "凭单", "许可", "授权书", "印章"),
    people=("王敏", "李雷", "陈静", "刘洋", "赵倩", "孙浩", "周琳", "吴强", "郑爽", "冯涛"),
    acts=("发布", "合并", "解锁", "转移", "冻结", "检查", "注销"),
    things=("税率表", "港口规划", "工资单", "传感器档案", "粮食合同", "展品目录", "电车时刻表"),
    chatter=(
        "{person} 午饭时 翻看了 {thing} 的 {count} 页 。",
        "{person} 提醒 : {thing} 的 讨论会 改到 {count} 号 房间 。",
        "上周 {person} 和 {other} 比较了 打印 {thing} 的 {count} 种 办法 。",
    ),
    holds="{person} 领到了 {held} 。",
    stands="{held} 可以 换成 {following} 。",
    lets="持有 {held} 的 人 可以 {act} {thing} 。",
    asks="{rule} 需要 {held} 。",
    both="同时 有 {one} 和 {other} 的 人 可以 {act} {thing} 。",
    query="{person} 能不能 {act} {thing} ? 请 回答 能 或 不能 。",
    direct=(
        "{person} 想要 {act} {thing} , 已 提交 {item} 。",
        "{person} {act} {thing} 的 申请 按 {item} 审核 。",
        "{person} 要 {act} {thing} , 还 需要 {item} 上 的 签字 。",
    ),
    joint=" 和 ",
    marks=(
        ("通行证", "pass"), ("工牌", "card"), ("凭单", "slip"),
        ("许可", "permit"), ("授权书", "power"), ("印章", "seal"),
    ),
)  # fmt: skip

PHRASES: Mapping[str, Phrases] = MappingProxyType(
    {"office": OFFICE, "platform": PLATFORM, "werft": WERFT, "kufang": KUFANG}
)
