"""Plans studies of kind engine: from a point to the command of one run. Pure functions."""

from __future__ import annotations

from pathlib import Path

from harness.config import Config, EngineScale, EngineStudy, Experiment, Level
from harness.config.engine_study import copied
from harness.config.study import Cachegrind
from harness.plan import mimir
from harness.plan.batches import batches_of, with_batches
from harness.plan.datasets import Text, buffer_bytes, ranks_of, text_of
from harness.plan.points import Point, lenders, seed_of, selected
from harness.plan.requirements import engine_needs
from harness.plan.spec import Plan, RunSpec, Watch
from harness.results.layout import NotRun, Runs, TableSpec, folder_of_point
from harness.results.records import Factors, Identity

PROGRAMS = "build/programs/bin"
BUILT = "build/programs/engine.json"
PORTABLE = "build/programs-portable"
"""Programs for any processor: Valgrind does not know the newest instructions."""


def passes_of(point: Point, experiment: str, study: EngineStudy, scale: EngineScale) -> int:
    """Returns how often a run of a point reads its text: experiments that borrow runs have the lender's passes.

    An experiment's copies on other frameworks have its own.
    """
    original = copied(experiment, study.experiments[experiment].framework)
    lender = study.experiments[original].borrows or original if original in study.experiments else experiment
    return scale.passes_of(lender, str(point.levels["data"]))


def factors_of(point: Point, text: Text, study: EngineStudy, scale: EngineScale, passes: int = 1) -> Factors:
    """Returns every factor of a run with its level: the paper's labels and what they became at this scale.

    `words` are all that the run reads, in `passes` over its text.
    """
    levels = point.levels
    dataset = study.datasets[str(levels["data"])]
    return {
        "app": levels["app"],
        "data": levels["data"],
        "words": None if text.words is None else text.words * passes,
        "unique": text.unique,
        "platform": levels["platform"],
        "ranks": ranks_of(str(levels["platform"]), study, scale),
        "buffer_mb": levels["buffer_mb"],
        "buffer_bytes": buffer_bytes(float(levels["buffer_mb"]), dataset, study, scale, passes),
        "strategy": levels["strategy"],
        "combine": levels["combine"],
        "balance": levels["balance"],
        "pipeline": levels["pipeline"],
        "cap_w": levels["cap_w"],
        "sample_ms": levels["sample_ms"],
    }


def command(factors: Factors, combine_switch: Level, extra: list[str], inputs: list[str]) -> list[str]:
    """Returns the command line of the mini-app, without launcher; {report} and the like stand for files of the run."""
    return [
        f"{PROGRAMS}/{factors['app']}",
        f"--send-buffer={factors['buffer_bytes']}",
        f"--strategy={factors['strategy']}",
        f"--combine={factors['combine']}",
        f"--combine-switch={combine_switch}",
        f"--balance={factors['balance']}",
        f"--pipeline={factors['pipeline']}",
        "--report={report}",
        *extra,
        *inputs,
    ]


def under_cachegrind(run: RunSpec, caches: Cachegrind) -> RunSpec:
    """Returns a run of one rank as one under Valgrind, which simulates these caches; nothing of it is measured."""
    program = [
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=yes",
        f"--D1={caches.d1}",
        f"--LL={caches.ll}",
        "--cachegrind-out-file={cachegrind}",
        f"{PORTABLE}/bin/{Path(run.program[0]).name}",
        *run.program[1:],
    ]
    changed = {"program": program, "built": f"{PORTABLE}/engine.json", "cachegrind": True}
    return run.model_copy(update={**changed, "launcher": [], "watch": None})


def scale_of(experiment: Experiment, study: EngineStudy, scale: EngineScale) -> EngineScale:
    """Returns the sizes of an experiment: those of simulated caches are its own, with all words on one rank."""
    if experiment.cachegrind is None:
        return scale
    words, ranks = experiment.cachegrind.words, {**scale.ranks, study.platform: 1}
    return scale.model_copy(update={"words": words, "ranks": ranks})


def plan(study: EngineStudy, config: Config, cap_refusal: str, cachegrind_refusal: str = "") -> Plan:
    """Plans runs, tables and texts of a study.

    `cap_refusal` says why no cap can be set here, `cachegrind_refusal` why no cache can be simulated ('' if it can).
    """
    scales = config.scale.of(study.id, EngineScale)
    runs: list[RunSpec] = []
    tables: dict[str, TableSpec] = {}
    texts: dict[str, Text] = {}
    for name, experiment in study.experiments.items():
        scale = scale_of(experiment, study, scales)
        repetitions = experiment.repetitions or scale.repetitions
        skipped: list[NotRun] = []
        own: dict[str, Runs] = {}
        borrowed = lenders(study, name)
        columns: list[str] = []
        only = scale.only_experiment.get(copied(name, experiment.framework), {})
        section = f"config/scales/{config.top.scale}.yaml: {study.id}.only_experiment"
        for point in selected(name, experiment, study.defaults, only, [], section):
            ranks = ranks_of(str(point.levels["platform"]), study, scale)
            dataset = study.datasets[str(point.levels["data"])]
            passes = passes_of(point, name, study, scale)
            text = text_of(dataset, ranks, study, scale, config.top.seed, passes)
            extra = ["--events={events}"] if experiment.events else []
            extra += [] if text.generated else ["--output={output}"]
            factors = factors_of(point, text, study, scale, passes)
            if experiment.framework is not None:
                factors["framework"] = experiment.framework
            columns = list(factors)
            if experiment.framework is not None:
                missing = config.frameworks[experiment.framework].missing
                if reason := missing or mimir.refusal(point.levels, experiment.events):
                    skipped.append(NotRun(point=point.name, factors=factors, reason=reason))
                    continue
            cap = float(point.levels["cap_w"])
            if cap_refusal and cap != study.highest_cap:
                skipped.append(
                    NotRun(point=point.name, factors=factors, reason=f"no cap can be set: {cap_refusal}")
                )
                continue
            if experiment.cachegrind is not None and cachegrind_refusal:
                skipped.append(NotRun(point=point.name, factors=factors, reason=cachegrind_refusal))
                continue
            texts[text.path] = text
            lender, its_point = borrowed.get(point.name, (name, point.name))
            folder = folder_of_point(config.results, study.id, lender, its_point)
            own[point.name] = Runs(folder=folder, repetitions=repetitions)
            if point.name in borrowed:
                continue
            for rep in range(1, repetitions + 1):
                identity = Identity(
                    study=study.id,
                    experiment=name,
                    point=point.name,
                    rep=rep,
                    seed=seed_of(config.top.seed, study.id, name, point.name, rep),
                    scale=config.top.scale,
                    site=config.top.site,
                    factors=factors,
                )
                runs.append(
                    RunSpec(
                        identity=identity,
                        program=command(factors, point.levels["combine_switch"], extra, [text.path] * passes),
                        inputs=[text.path],
                        passes=passes,
                        attempts=scale.attempts,
                        counts=text.counts,
                        built=BUILT,
                        launcher=config.site.launch(ranks),
                        ranks=ranks,
                        nodes=config.site.nodes_for(ranks),
                        timeout_s=scale.timeout_s,
                        watch=Watch(
                            period_ms=int(point.levels["sample_ms"]),
                            power=config.site.power.meter,
                            cap_w=None if cap_refusal else cap * config.site.power.cap_scale,
                        ),
                    )
                )
                if experiment.framework is not None:
                    runs[-1] = mimir.by_mimir(runs[-1], experiment.framework)
                if experiment.cachegrind is not None:
                    runs[-1] = under_cachegrind(runs[-1], experiment.cachegrind)
        tables[name] = TableSpec(
            study=study.id,
            experiment=name,
            scale=config.top.scale,
            factors=columns,
            runs=own,
            not_run=skipped,
            repetitions=repetitions,
        )
    batches = batches_of(study.id, runs, config)
    needs = engine_needs(runs, texts, study.platform)
    return Plan(runs, with_batches(tables, batches, config), needs, texts, batches=batches)
