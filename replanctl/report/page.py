"""A whole page: its head, what it comes to, a table of contents, and its sections. Nothing is fetched, nothing runs."""

from __future__ import annotations

from collections.abc import Sequence

from replanctl.report.html import Html, joined, tag
from replanctl.report.parts import Section, sections

# What the page may do, should foreign text ever get out of its place: show itself, and nothing else.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
LONGEST_TITLE = 120


def page(title: str, lead: Html, parts: Sequence[Section | None], *, kind: str) -> str:
    """The page of this title: `kind` says what it is a report of, `lead` what it comes to."""
    shown = [part for part in parts if part is not None]
    # An empty heading is announced as nothing at all.
    title = title if title.strip() else kind
    head = joined(
        [
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
            tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name_="color-scheme", content="light dark"),
            tag("title", f"{title[:LONGEST_TITLE]}: {kind}"),
            tag("style", STYLE),
        ],
        Html("\n"),
    )
    body = joined(
        [
            tag("a", "To the content", href="#content", class_="skip"),
            tag("header", tag("p", kind, class_="kind"), tag("h1", title), lead),
            *([_contents(shown)] if len(shown) > 1 else []),
            tag("main", sections(shown), id="content", tabindex="-1"),
            tag("footer", tag("p", "Made by replanctl. Times are session time, tokens as booked.")),
        ],
        Html("\n"),
    )
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), Html(chr(10)), tag('body', body), lang='en')}\n"


def _contents(parts: Sequence[Section]) -> Html:
    entries = [tag("li", tag("a", part.title, href=f"#{part.id}")) for part in parts]
    return tag("nav", tag("ol", *entries), aria_label="Contents")


# One sheet for all pages, and nothing fetched: a report is mailed, attached and opened years later on a machine without
# a network. Colours are variables, so that day and night differ in one place. Marks and words carry the meaning;
# nothing is said by a colour alone.
STYLE = Html("""
:root{--ink:#1b1f24;--paper:#fff;--soft:#57606a;--line:#d0d7de;--wash:#f6f8fa;--done:#1a6e36;--fail:#b3261e;
--warn:#7d5000;--link:#0b57c0;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0f1419;--soft:#9aa5b1;--line:#39424d;--wash:#191f27;
--done:#5ecb7c;--fail:#ff8078;--warn:#e0b04a;--link:#7fb4ff}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0 auto;max-width:76rem;padding:1.5rem 1.25rem 3rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.75rem 0 .5rem}
p{margin:.5rem 0}
.kind{color:var(--soft);margin:0}
.verdict{font-size:1.1rem;font-weight:600;margin:.25rem 0;padding-left:.75rem;border-left:.3rem solid}
.note,caption,dt{color:var(--soft)}
.done{color:var(--done)}.failed{color:var(--fail)}.warn{color:var(--warn)}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
main:focus{outline:0}
.skip{position:absolute;left:-99rem}
.skip:focus{position:static;display:inline-block;margin-bottom:1rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
nav{margin-top:1.25rem}
nav ol{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:0}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.75rem 1.5rem;margin:1rem 0}
dl.wide{grid-template-columns:1fr}
dd ul{margin:.15rem 0;padding-left:1.2rem}
dd{margin:0}
dt{font-size:.85rem}
.scroll{overflow-x:auto;margin:.75rem 0 1.25rem}
.scroll{position:relative}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 .4rem;font-size:.88rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);
min-width:4.5rem;overflow-wrap:break-word;unicode-bidi:isolate}
td bdi,.value{overflow-wrap:anywhere}
td:has(bdi),td:has(.value){min-width:10rem}
thead th{font-weight:600;color:var(--soft);border-bottom:2px solid var(--line);vertical-align:bottom;
overflow-wrap:normal}
tbody th{font-weight:600}
tbody th bdi{font-weight:400}
.group th bdi{font-weight:600}
.group th{background:var(--wash);padding:.35rem .5rem}
td p,td ul{margin:0}
td ul{padding-left:1.1rem}
th.number,td.number{text-align:right;white-space:nowrap;padding-right:1.5rem}
.grid .mark{font-size:1.1rem}
caption span,.group th span{position:sticky;left:0;display:inline-block;max-width:calc(100vw - 2rem)}
.group th span{left:.5rem}
.grid th,.grid td{min-width:0}
.grid td,.grid thead th{text-align:center}
.grid tbody th[rowspan]{min-width:9rem}
code,pre{font:.88em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
pre{background:var(--wash);border:1px solid var(--line);border-radius:.35rem;padding:.75rem;max-height:26rem;
overflow:auto;white-space:pre-wrap}
.mark{font-family:ui-monospace,Consolas,"Liberation Mono",monospace;font-weight:700}
.gone{text-decoration:line-through}
.bar{display:block;width:100%;min-width:9rem;height:1rem;background:var(--wash)}
.bar .done{fill:var(--done)}
.bar .failed{fill:var(--paper);stroke:var(--fail);stroke-width:2px;vector-effect:non-scaling-stroke}
.bar .wait{fill:var(--soft)}
.bar .warn{fill:var(--warn)}
.bar .frame{fill:none;stroke:var(--soft);stroke-width:1px;vector-effect:non-scaling-stroke}
footer{margin-top:3rem;border-top:1px solid var(--line);color:var(--soft);font-size:.88rem}
@media (max-width:40rem){body{padding:1rem .75rem 2rem}h1{font-size:1.35rem}dl{grid-template-columns:1fr 1fr}}
@media print{:root{--ink:#000;--paper:#fff;--soft:#444;--line:#999;--wash:#f2f2f2;--done:#0b5a26;--fail:#8f1a13;
--warn:#5f3d00;--link:#000;color-scheme:light}
@page{margin:15mm}
body{max-width:none;padding:0;font-size:9.5pt}
nav,.skip{display:none}
.scroll,pre{overflow:visible;max-height:none}
th,td,td:has(bdi),td:has(.value){min-width:0;padding-right:.5rem;overflow-wrap:anywhere}
.bar{min-width:4rem;max-width:9rem;print-color-adjust:exact;-webkit-print-color-adjust:exact}
h2,h3,caption,thead,.group,.note{break-after:avoid}
tr,dl div{break-inside:avoid}
thead{display:table-header-group}}
""")
