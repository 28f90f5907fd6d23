#!/usr/bin/env python3
"""Checks a proof of 'ledger proof' (RFC 6962, section 2.1) without the program and without the log.

With a checkpoint, the proof must be of that ledger, and one of its ends be the checkpoint's size and root.
Exit code 0: proved; 1: not proved, or no proof at all."""
import argparse, base64, hashlib, json, struct, sys

class Refused(Exception): pass

def require(condition, reason):
    if not condition: raise Refused(reason)

def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()

def steps(place, last, path):
    """Each hash of a path, from the leaves up, and whether it stands to the left."""
    for node in path:
        require(last > 0, "the path is too long")
        is_left = place & 1 or place == last
        yield is_left, node
        while is_left and place and not place & 1: place, last = place >> 1, last >> 1
        place, last = place >> 1, last >> 1
    require(last == 0, "the path is too short")

def leaf_hash(proof):
    leaf = proof["leaf"]
    if leaf is None:  # the event was redacted: its hash is all that is left
        return bytes.fromhex(proof["leafHash"])
    require(leaf["sequence"] == proof["index"] + 1, "the leaf is of another event than its place says")
    require("ledger/" + leaf["ledger"] == proof["origin"], "the leaf is of another ledger")
    fixed = struct.pack("<QqBB", leaf["sequence"], leaf["time"], leaf["type"], leaf["version"])
    leaf = sha(b"\0", bytes.fromhex(leaf["ledger"]), fixed, bytes.fromhex(leaf["payload"]))
    require(leaf.hex() == proof["leafHash"], "the leaf's hash is not that of its fields")
    return leaf

def inclusion(proof, path):
    index, size, root = proof["index"], proof["size"], leaf_hash(proof)
    require(0 <= index < size, "the place is not in the tree")
    for is_left, node in steps(index, size - 1, path):
        root = sha(b"\1", node, root) if is_left else sha(b"\1", root, node)
    require(root.hex() == proof["root"], "the path does not lead to the root")
    return f"event {index + 1} is among the first {size}, root {proof['root']}", [proof]

def consistency(proof, path):
    old, new = proof["from"], proof["to"]
    require(0 < old["size"] <= new["size"], "the sizes are in the wrong order")
    place, last = old["size"] - 1, new["size"] - 1
    while place & 1: place, last = place >> 1, last >> 1
    if place == 0: path.insert(0, bytes.fromhex(old["root"]))  # the old tree is perfect, and part of the new one
    if old["size"] == new["size"]: path, last = path or [bytes.fromhex(old["root"])], 0
    require(path, "the path is too short")
    first = second = path[0]
    for is_left, node in steps(place, last, path[1:]):
        if is_left: first, second = sha(b"\1", node, first), sha(b"\1", node, second)
        else: second = sha(b"\1", second, node)
    require((first.hex(), second.hex()) == (old["root"], new["root"]), "the path does not lead to both roots")
    return f"the first {old['size']} of {new['size']} events are as they were, root {new['root']}", [old, new]

def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("proof", nargs="?", default="-", help="the line of JSON; '-' is standard input")
    arguments.add_argument("--checkpoint", metavar="FILE", help="the three lines of 'ledger checkpoint'")
    given = arguments.parse_args()
    try:
        proof = json.load(sys.stdin if given.proof == "-" else open(given.proof))
        path = [bytes.fromhex(node) for node in proof["path"]]
        said, heads = {"inclusion": inclusion, "consistency": consistency}[proof["kind"]](proof, path)
        if given.checkpoint:
            origin, size, root = open(given.checkpoint).read().split("\n")[:3]
            head = (int(size), base64.b64decode(root, validate=True).hex())
            require(origin == proof["origin"], "the checkpoint is of another ledger")
            require(head in [(h["size"], h["root"]) for h in heads], "the checkpoint names another size or root")
    except Refused as reason: sys.exit(f"not proved: {reason}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        sys.exit(f"not proved: this is no proof that can be read ({error!r})")
    print(f"proved: {said}")

main()
