"""What a user sees before anything runs: dry runs, targets, mistakes."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from .checkout import PROJECT, Checkout, copy_project
from .conftest import leave_out

STUDIES = tuple(yaml.safe_load((PROJECT / "config/config.yaml").read_text())["studies"])
IDENTITY = ("-c", "user.name=A Tester", "-c", "user.email=tester@example.org")


def test_dry_run_of_a_fresh_checkout(checkout: Checkout) -> None:
    counts = checkout.planned()
    assert counts["run_point"] > 50
    studies = [
        yaml.safe_load((checkout.folder / f"config/studies/{name}.yaml").read_text()) for name in STUDIES
    ]
    assert counts["draw_figure"] == sum(len(study["figures"]) for study in studies)
    assert counts["build_hadoop"] == 1
    assert counts["run_cell"] == 2, "nvm has a slower disk"
    assert not (checkout.folder / "results").exists(), "a dry run writes nothing"


def test_targets(checkout: Checkout) -> None:
    targets = ["all", "smoke", *STUDIES, "tables", "figures", "claims", "report"]
    counts = checkout.planned(*targets)
    assert {target: counts[target] for target in targets} == dict.fromkeys(targets, 1)


def commands(checkout: Checkout, studies: str) -> set[str]:
    """Commands of all jobs that make or read runs of single studies."""
    printed = checkout.snakemake("-n", "-p", "--config", f"studies={studies}").splitlines()
    scripts = ("scripts/run_point.py", "scripts/run_batch.py", "scripts/tables.py")
    said = {line.strip() for line in printed if line.lstrip().startswith("Shell command:")}
    return {line for line in said if any(script in line for script in scripts)}


def test_a_jobs_command_does_not_depend_on_the_other_studies(checkout: Checkout) -> None:
    alone = commands(checkout, "mimir")
    assert len(alone) > 50
    both = commands(checkout, "eee,mimir")
    assert alone < both and {line for line in both if " mimir " in line} == alone
    assert commands(checkout, "[mimir,eee]") == both, "in another order"


def test_a_figure_by_number_and_by_path(checkout: Checkout) -> None:
    by_number = checkout.planned("fig_mimir_3")
    by_path = checkout.planned("results/smoke/figures/mimir/fig03.pdf")
    assert by_number.pop("fig_mimir_3") == 1
    assert {**by_number, "total": 0} == {**by_path, "total": 0}
    assert by_path["make_table"] == 2, "metrics and samples of the one experiment that the figure shows"


@pytest.mark.parametrize(
    ("scale", "target", "wanted"),
    [("laptop", "all", (True, False)), ("smoke", "all", (False, True)), ("kick", "kick", (False, True))],
)
def test_only_what_is_not_measured_shares_the_machine(
    checkout: Checkout, scale: str, target: str, wanted: tuple[bool, bool]
) -> None:
    """What `make kick` and `make smoke` run shows that all works, in minutes; one cluster at a time, for its memory."""
    printed = checkout.snakemake("-n", "--nocolor", "--config", f"scale={scale}", "--", target)
    blocks = [block for block in printed.split("\nrule ") if block.startswith("run_")]
    cells = [block for block in blocks if block.startswith("run_cell:")]
    assert len(cells) > 1 and len(blocks) > len(cells)
    assert {"threads: 2" in block for block in blocks} == {wanted[0]}
    assert {"cells=1" in block for block in cells} == {wanted[1]}


def test_a_figure_is_drawn_from_tables_alone(checkout: Checkout) -> None:
    """A changed scale or study redraws what shows a changed value, and nothing else."""
    figures = [f"results/smoke/figures/{name}.svg" for name in ("mimir/fig03", "eee/table2", "mrev/table1")]
    printed = checkout.snakemake("-n", *figures)
    inputs = [line for line in printed.splitlines() if line.strip().startswith("input:")]
    drawn = [line for line in inputs if "draw.R" in line]
    assert len(drawn) == len(figures)
    for line in drawn:
        assert "config/" not in line and "run.json" not in line and "/series.csv" in line
    assert ["parameters.csv" in line for line in sorted(drawn)] == [
        "mimir" not in line for line in sorted(drawn)
    ]
    listed = [line for line in inputs if "scripts/figure_tables.py" in line]
    assert len(listed) == len({"eee", "mimir", "mrev"}) + len({"eee", "mrev"})
    assert not any("config/" in line or "/hosts/" in line for line in listed), "their rows are parameters"


def test_jobs_start_without_an_activated_environment_and_without_a_program_called_python(
    checkout: Checkout, tmp_path: Path
) -> None:
    """As on Debian: `.venv/bin/snakemake` typed in a new shell."""
    for folder in ("/usr/bin", "/bin"):
        for program in Path(folder).iterdir():
            link = tmp_path / program.name
            if not program.name.startswith("python") and not link.is_symlink():
                link.symlink_to(program)
    environment = {**checkout.environment, "PATH": str(tmp_path)}
    command = [str(PROJECT / ".venv/bin/snakemake"), "--cores", "1", "--", "spack_sources"]
    done = subprocess.run(
        command, cwd=checkout.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    facts = checkout.folder / "build/spack/sources.json"
    assert facts.is_file()
    shutil.rmtree(checkout.folder / "build")
    shutil.rmtree(checkout.folder / "results", ignore_errors=True)


@pytest.mark.parametrize(
    "force", [["--force", "fig_mimir_3"], ["--forcerun", "fig_mimir_3", "--", "fig_mimir_3"]]
)
def test_forcing_a_figure_by_number_draws_it_again(checkout: Checkout, force: list[str]) -> None:
    """The files are there and up to date for Snakemake; only the forced one is drawn."""
    stem = checkout.folder / "results/smoke/figures/mimir/fig03"
    stem.parent.mkdir(parents=True)
    tables = checkout.folder / "results/smoke/tables/mimir"
    tables.mkdir(parents=True)
    try:
        study = yaml.safe_load((checkout.folder / "config/studies/mimir.yaml").read_text())
        for table in next(figure for figure in study["figures"] if figure["id"] == "fig03")["tables"]:
            (tables / f"{table}.csv").touch()
        for kind in (".pdf", ".svg", ".png"):
            stem.with_suffix(kind).touch()
        rest = ("--until", "fig_mimir_3") if force[0] == "--force" else ()
        text = checkout.snakemake("-n", *force, *rest)
        assert "results/smoke/figures/mimir/fig03.pdf" in text and "rule fig_mimir_3:" in text
        assert "output: results/smoke/figures/mimir/fig03.pdf" in text, "it draws, it does not only collect"
    finally:
        shutil.rmtree(checkout.folder / "results")


def test_a_large_download_is_told_before_it_begins(checkout: Checkout) -> None:
    plugins = [f"build/hadoop-plugins/3.4.2/{name}.json" for name in ("spark", "tez")]
    text = checkout.snakemake("-n", "--logger", "kvasir", "--", *plugins)
    assert text.count("plug-in spark: Maven gets 48 MB of released jars, unless it has them\n") == 1
    assert "plug-in tez" not in text


def test_another_scale_by_path(checkout: Checkout) -> None:
    assert checkout.planned("results/laptop/report.html")["run_point"] > 100


STRANGER = """
import sys
sys.path = [path for path in sys.path if not path.endswith("/src")]
{}
from snakemake.cli import main
main(sys.argv[1:])
"""


def stranger(checkout: Checkout, before: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a Snakemake that has nothing of ours, with a PATH as Debian has it."""
    environment = {**checkout.environment, "PATH": "/usr/bin:/bin"}
    del environment["PYTHONPATH"]
    command = [sys.executable, "-c", STRANGER.format(before), *arguments]
    return subprocess.run(
        command,
        cwd=checkout.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_any_snakemake_plans_and_its_jobs_run(tmp_path: Path) -> None:
    own = copy_project(tmp_path / "kvasir copy")
    done = stranger(own, "", "-n", "--cores", "1")
    assert done.returncode == 0, done.stderr
    assert "run_batch" in done.stdout + done.stderr
    made = "results/smoke/tables/eee/series.csv"
    done = stranger(own, "", "--cores", "1", "--", made)
    assert done.returncode == 0, done.stderr
    assert (own.folder / made).is_file()


def test_results_lie_in_the_folder_that_the_user_names(tmp_path: Path) -> None:
    own, scratch = copy_project(tmp_path / "kvasir copy"), tmp_path / "scratch ünd run"
    made = "results/smoke/tables/eee/series.csv"

    def files() -> set[Path]:
        ours = {".snakemake", "__pycache__"}
        return {path for path in own.folder.rglob("*") if not ours.intersection(path.parts)}

    before = files()
    command = ["snakemake", "-s", "Snakefile", "--directory", str(scratch), "--cores", "1"]
    assert own.run(*command, "-n").returncode == 0
    done = own.run(*command, "--", made)
    assert done.returncode == 0, done.stdout
    assert (scratch / made).is_file()
    assert files() == before


def test_the_workflow_is_a_module_of_another_one(tmp_path: Path) -> None:
    own, other = copy_project(tmp_path / "kvasir copy"), tmp_path / "another one"
    other.mkdir()
    (other / "Snakefile").write_text(
        f"module kvasir:\n    snakefile: {str(own.folder / 'Snakefile')!r}\n\nuse rule * from kvasir\n"
    )
    made = "results/smoke/tables/eee/series.csv"
    done = own.run("snakemake", "--directory", str(other), "-s", str(other / "Snakefile"), "-c1", "--", made)
    assert done.returncode == 0, done.stdout
    assert (other / made).is_file() and not (own.folder / made).exists()


def test_the_workflow_starts_from_a_forge(tmp_path: Path) -> None:
    """A commit's own rules, programs and configuration, whatever checkout the Snakemake is from."""
    forge, run = copy_project(tmp_path / "the forge"), tmp_path / "ein Läuf"
    run.mkdir()
    (forge.folder / ".venv").unlink()

    def commit(branch: str) -> str:
        for words in (
            ["init", "-q"],
            ["checkout", "-q", "-b", branch],
            ["add", "-A"],
            ["commit", "-qm", branch],
        ):
            subprocess.run(["git", *IDENTITY, *words], cwd=forge.folder, check=True)
        told = subprocess.run(["git", "rev-parse", branch], cwd=forge.folder, check=True, capture_output=True)
        return told.stdout.decode().strip()

    def start(branch: str, target: str) -> subprocess.CompletedProcess[str]:
        source = f"git+file://{forge.folder}/workflow/Snakefile@{branch}"
        environment = {name: value for name, value in forge.environment.items() if name != "PYTHONPATH"}
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "-s",
            source,
            "-c1",
            "--config",
            "scale=smoke",
            "--",
            target,
        ]
        return subprocess.run(
            command, cwd=run, env=environment, capture_output=True, text=True, check=False, timeout=300
        )

    first = commit("first")
    made = "results/smoke/tables/eee/series.csv"
    done = start("first", made)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (run / made).is_file() and not (forge.folder / "results").exists()
    assert (run / "config").resolve() == run / ".snakemake/kvasir-code" / first / "config"

    planner = forge.folder / "src/harness/plan/planner.py"
    planner.write_text(planner.read_text() + "\nraise SystemExit('planned by the second commit')\n")
    second = commit("second")
    done = start("second", made)
    assert "planned by the second commit" in done.stdout + done.stderr
    assert (run / "config").resolve() == run / ".snakemake/kvasir-code" / second / "config"


def test_a_snakemake_without_what_planning_needs_is_told(checkout: Checkout) -> None:
    done = stranger(checkout, "sys.modules['typer'] = None", "-n", "--cores", "1")
    assert done.returncode != 0
    assert "has no package typer: start .venv/bin/snakemake, or install" in done.stdout + done.stderr


def test_the_literal_cluster_command(checkout: Checkout) -> None:
    command = ("snakemake", "--profile", "slurm", "-n")
    done = checkout.run(*command)
    assert done.returncode != 0
    assert "copy config/sites/slurm.example.yaml to it" in done.stdout
    site = checkout.folder / "config" / "sites" / "slurm.yaml"
    shutil.copyfile(site.with_name("slurm.example.yaml"), site)
    try:
        done = checkout.run(*command, "--config", "scale=paper", "studies=[mimir,eee]")
    finally:
        site.unlink()
    assert done.returncode == 0, done.stdout
    assert "nodes=5, tasks=72, slurm_extra=--exclusive --ntasks-per-node=15" in done.stdout, (
        "72 ranks, 16 cores"
    )
    assert "rule run_batch:" in done.stdout, "simulations are in batches"


@pytest.mark.parametrize(
    ("of_site", "expected"), [("partition: compute", "compute"), ("account: project", "fat"), ("", "fat")]
)
def test_the_site_files_partition_wins_over_default_resources(
    checkout: Checkout, of_site: str, expected: str
) -> None:
    site = checkout.folder / "config/sites/slurm.yaml"
    example = site.with_name("slurm.example.yaml").read_text()
    assert "partition: compute " in example
    site.write_text(example.replace("partition: compute ", f"{of_site} "))
    words = ["-n", "--default-resources", "slurm_partition=fat", "slurm_account=mine"]
    try:
        done = checkout.run("snakemake", "--profile", "slurm", *words, "--config", "studies=[eee]")
    finally:
        site.unlink()
    assert done.returncode == 0, done.stdout
    requests = [line for line in done.stdout.splitlines() if line.strip().startswith("resources: ")]
    found = {
        name: set(re.findall(rf"slurm_{name}=(\w+)", "\n".join(requests)))
        for name in ("partition", "account")
    }
    # Those of the login node have the defaults, and ignore them.
    batches = [line for line in requests if "nodes=1" in line]
    assert batches and all(f"slurm_partition={expected}" in line for line in batches), found
    account = "project" if "account" in of_site else "mine"
    assert all(f"slurm_account={account}" in line for line in batches), found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("scale=huge", "error: scale=huge: allowed: kick, laptop, night, paper, smoke"),
        (
            "site=moon",
            "error: site=moon: allowed: emulated-power, emulated-slurm, local",
        ),
        (
            "studies=[mimri]",
            "error: studies=mimri: allowed: eee, hpc, mimir, mrev, nvm; did you mean 'mimir'?",
        ),
        ("seed=-1", "error: seed=-1: Input should be greater than or equal to 0"),
        ("sead=1", "error: sead=1: no such key is known here"),
    ],
)
def test_wrong_choice_ends_before_any_job(checkout: Checkout, change: str, expected: str) -> None:
    output = checkout.snakemake("--config", change, ok=False)
    assert expected in output
    assert "Traceback" not in output and "Error in" not in output and ".smk" not in output
    assert not (checkout.folder / "build").exists(), "nothing was started"


def test_studies_may_be_typed_as_text(checkout: Checkout) -> None:
    assert checkout.planned("--config", "studies=eee") == checkout.planned("--config", "studies=[eee]")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "scale: smoke",
            "scale: huge",
            "config/config.yaml: scale: found 'huge': allowed: kick, laptop, night, paper, smoke",
        ),
        ("scale: smoke", "scal: smoke", "config/config.yaml: scal: found 'smoke': no such key is known here"),
        ("site: local", "site: [local", "config/config.yaml: not a YAML file: line "),
        ("site: local", "\tsite: local", "config/config.yaml: not a YAML file: line 3, column 1: "),
    ],
)
def test_a_mistake_in_the_first_file_names_it(checkout: Checkout, old: str, new: str, expected: str) -> None:
    restore = checkout.edit("config/config.yaml", old, new)
    try:
        output = checkout.snakemake("-n", ok=False)
    finally:
        restore()
    assert expected in output
    assert "Traceback" not in output and ".smk" not in output


def test_a_figure_that_is_not_there_is_told_with_those_that_are(checkout: Checkout) -> None:
    output = checkout.snakemake("-n", "fig_mimir_99", ok=False)
    assert "error: fig_mimir_99: no such figure: there are fig_mimir_1, fig_mimir_2" in output
    assert "MissingRule" not in output


def test_wrong_value_in_a_file_ends_before_any_job(checkout: Checkout) -> None:
    restore = checkout.edit("config/scales/smoke.yaml", "words: 2_000_000", "words: -2")
    try:
        output = checkout.snakemake(ok=False)
    finally:
        restore()
    assert "config/scales/smoke.yaml: mimir.words: found -2: Input should be greater than 0" in output


def test_paper_scale_says_what_it_needs_and_refuses_a_small_machine(checkout: Checkout) -> None:
    output = checkout.snakemake("--config", "scale=paper", ok=False)
    assert "scale paper at site local:" in output and "72 ranks" in output
    assert "does not fit this machine: memory: needs" in output
    assert not (checkout.folder / "build").exists(), "nothing was started"


def test_a_wrong_claim_ends_before_any_job(checkout: Checkout) -> None:
    restore = checkout.edit("config/claims/eee.yaml", "FROM eee_standard_runs", "FROM eee_standart_runs")
    try:
        output = checkout.snakemake(ok=False)
    finally:
        restore()
    assert "config/claims/eee.yaml: tag paper-scale: check: no table eee_standart_runs; there are:" in output
    assert "Traceback" not in output
    assert not (checkout.folder / "build").exists(), "nothing was started"


def test_steps_depend_on_the_code_that_they_import(checkout: Checkout) -> None:
    output = checkout.snakemake("-n", "--nocolor", "report", "--config", "studies=[eee]")
    inputs: dict[str, set[str]] = {}
    for block in output.split("rule ")[1:]:
        name = block.partition(":")[0]
        inputs.setdefault(name, set()).update(block.partition("input: ")[2].partition("\n")[0].split(", "))
    for name in ("make_table", "check_claims", "make_report"):
        code = {file for file in inputs[name] if file.startswith("src/harness/")}
        assert code and not any(file.startswith("src/harness/measure/") for file in code), name
        assert ("src/harness/claims/check.py" in code) == (name == "check_claims")


def test_unknown_run_is_named(checkout: Checkout) -> None:
    output = checkout.snakemake("-n", "results/smoke/runs/mimir/combiner/nonsense/1/run.json", ok=False)
    assert "no such run in the plan of study mimir: combiner/nonsense/1" in output
    output = checkout.snakemake("-n", "results/smoke/cells/4n_ssd_ib/cell.json", ok=False)
    assert "no such cell in the plan: 4n_ssd_ib; there are 3n_ssd_ib" in output


def test_mrev_and_hpc_share_their_cells(checkout: Checkout) -> None:
    alone = checkout.planned("hpc", "--config", "scale=laptop")
    both = checkout.planned("hpc", "mrev", "--config", "scale=laptop")
    assert alone["run_cell"] == both["run_cell"] > 1


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        (
            "config/studies/hpc.yaml",
            "framework: [hadoop-gbe,",
            "framework: [hadop-gbe,",
            "found framework hadop-gbe",
        ),
        ("config/studies/hpc.yaml", "[dfsio-write, dfsio-read]", "[dfsio]", "found benchmark dfsio: allowed"),
        ("config/studies/mrev.yaml", "disk: [hdd, ssd]", "disk: [floppy]", "unknown disk ['floppy']"),
    ],
)
def test_unknown_level_of_a_cell_ends_before_any_job(
    checkout: Checkout, file: str, old: str, new: str, expected: str
) -> None:
    restore = checkout.edit(file, old, new)
    try:
        output = checkout.snakemake(ok=False)
    finally:
        restore()
    assert file in output and expected in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("figures/mimir/fig3.pdf", "error: study mimir has no figure fig3: there are fig01"),
        ("tables/mimmir/series.csv", "error: mimmir: no such study is chosen: there are mimir"),
        ("claims/mimmir.csv", "did you mean 'mimir'?"),
        ("runs/mimir/buffering/none/1/run.json", "error: no such run in the plan of study mimir"),
    ],
)
def test_a_wrong_path_has_one_clear_error(checkout: Checkout, target: str, expected: str) -> None:
    printed = checkout.snakemake("-n", f"results/smoke/{target}", ok=False)
    assert expected in printed and "Traceback" not in printed and "WorkflowError" not in printed


WRITES_NOTHING_BUT_ITS_OUTPUT = """import sys
from pathlib import Path

for word in sys.argv[1:]:
    if word.endswith(".json"):
        Path(word).write_text(str(sys.argv))
"""


def test_scales_with_other_variants_leave_each_others_hadoop_and_cells_alone(tmp_path: Path) -> None:
    """Plug-ins are built apart from their Hadoop, so no job of it knows which of them a scale uses."""
    checkout = copy_project(tmp_path / "kvasir copy")
    for script in ("build_hadoop", "build_plugin", "build_programs", "run_cell"):
        (checkout.folder / f"scripts/{script}.py").write_text(WRITES_NOTHING_BUT_ITS_OUTPUT)
    scales = checkout.folder / "config/scales"
    for scale in ("plain", "varied"):
        shutil.copyfile(scales / "smoke.yaml", scales / f"{scale}.yaml")
    leave_out(checkout, "missing_at: {", "missing_at: {plain: left to scale varied, ")
    made = {
        scale: ["--config", f"scale={scale}", "--", f"results/{scale}/cells/3n_ssd_ib/cell.json"]
        for scale in ("plain", "varied")
    }
    printed = {scale: checkout.snakemake(*targets) for scale, targets in made.items()}
    assert {scale: "levitated" in text for scale, text in printed.items()} == {"plain": False, "varied": True}
    assert "localrule build_hadoop" in printed["plain"] and "localrule build_hadoop" not in printed["varied"]
    assert {scale: checkout.planned(*targets) for scale, targets in made.items()} == {
        "plain": {},
        "varied": {},
    }
