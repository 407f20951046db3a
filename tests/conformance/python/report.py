"""Runs the basics of one client, each a function, and prints the outcome of each as a line of JSON."""
import json
import sys
import traceback

_basics = []


def basic(function):
    """Marks a function as one thing that the client has to be able to do; its docstring is the name."""
    _basics.append(function)
    return function


def raises(kind, call, **members):
    """Fails unless `call` raises `kind` with these members."""
    try:
        call()
    except kind as error:
        for name, wanted in members.items():
            assert getattr(error, name) == wanted, f"{name} is {getattr(error, name)}, not {wanted}"
        return error
    raise AssertionError(f"no {kind.__name__} was raised")


def run(version):
    print(json.dumps({"version": version}))
    for function in _basics:
        line = {"name": function.__doc__.strip(), "outcome": "passed"}
        try:
            function()
        except Exception as error:  # noqa: BLE001 - each fault is an outcome
            line = {"name": line["name"], "outcome": "failed", "error": f"{type(error).__name__}: {error}"[:400]}
            traceback.print_exc(limit=-3, file=sys.stderr)
        print(json.dumps(line), flush=True)
