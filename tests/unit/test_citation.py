"""CITATION.cff names the paper of every study."""

from pathlib import Path

import yaml

PROJECT = Path(__file__).parents[2]


def test_every_studys_paper_is_cited_with_its_authors() -> None:
    cited = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    titles = {entry["title"]: entry["authors"] for entry in cited}
    for path in sorted((PROJECT / "config/studies").glob("*.yaml")):
        paper = yaml.safe_load(path.read_text(encoding="utf-8"))["paper"]
        named = [title for title in titles if title in paper]
        assert len(named) == 1, f"{path.stem}: {paper}"
        missing = [one["family-names"] for one in titles[named[0]] if one["family-names"] not in paper]
        assert not missing, f"{path.stem}: {missing}"
