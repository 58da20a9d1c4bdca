"""Names that anybody can compute are recognised; random ones are not accused."""

import base64
import hashlib
import hmac
import secrets
import uuid

import numpy as np
import pytest

from shoal.auditor.digests import answers
from shoal.auditor.guesses import PROBES, Tried, guessed, seeded, seeds
from shoal.auditor.messages import Known, many

NAMES = [f"Phone-{number:07}".encode() for number in range(4_100, 4_100 + PROBES)]
PEOPLE = [Known(name, (number, number + 1)) for number, name in enumerate(NAMES)]


def hexed(algorithm, message):
    return hashlib.new(algorithm, message).hexdigest()


def tokens_of(rule, people=PEOPLE):
    return np.array([list(bytes.fromhex(rule(person))) for person in people], np.uint8)


def random_tokens(count=PROBES):
    return np.frombuffer(secrets.token_bytes(16 * count), np.uint8).reshape(-1, 16)


WHOLE = {
    "doubled": lambda p: hexed("md5", p.name + p.name),
    "md5 of sha1": lambda p: hexed("md5", hexed("sha1", p.name).encode()),
    "sha3 of blake2": lambda p: hexed("sha3_256", hexed("blake2b", p.name).encode())[:32],
    "binary, twice": lambda p: hexed("sha256", hashlib.sha256(p.name).digest())[10:42],
    "keyed by itself": lambda p: hmac.digest(p.name, p.name, "sha1").hex()[:32],
    "keyed by salt": lambda p: hmac.digest(b"salt", p.name, "sha512").hex()[5:37],
    "keyed by nothing": lambda p: hmac.digest(b"", p.name, "blake2b").hex()[-32:],
    "utf-16": lambda p: hexed("sha1", p.name.decode().encode("utf-16"))[:32],
    "base64": lambda p: hexed("md5", base64.b64encode(p.name)),
    "backwards": lambda p: hexed("md5", p.name[::-1]),
    "four bytes, little": lambda p: hexed("md5", int(p.name[6:]).to_bytes(4, "little")),
    "sixteen bytes, big": lambda p: hexed("md5", int(p.name[6:]).to_bytes(16, "big")),
    "user:": lambda p: hexed("sha256", b"user:" + p.name)[3:35],
    "id:": lambda p: hexed("sha256", b"id:" + p.name)[:32],
    "row numbers": lambda p: hexed("md5", b"%d" % p.numbers[1]),
    "row numbers, four bytes": lambda p: hexed("sha1", p.numbers[0].to_bytes(4, "big"))[:32],
    "user_1": lambda p: hexed("sha1", b"user_%d" % p.numbers[1])[:32],
    "uuid": lambda p: uuid.uuid3(uuid.NAMESPACE_URL, p.name.decode()).hex,
    "decimal": lambda p: str(int(hexed("sha512", p.name), 16))[:32],
    "itself": lambda p: p.name.hex().ljust(32, "0"),
}


@pytest.mark.parametrize("rule", WHOLE)
def test_whole_names_by_a_rule_are_found(rule):
    assert Tried(PEOPLE[:4]).whole(tokens_of(WHOLE[rule])) >= 4


def test_identifiers_that_are_hexadecimal_are_decoded():
    people = [Known(secrets.token_hex(8).encode()) for _ in range(4)]
    made = tokens_of(lambda p: hexed("md5", bytes.fromhex(p.name.decode())), people)
    assert Tried(people).whole(made)


def test_pieces_of_four_bytes_are_found_wherever_they_stand():
    for at in (0, 7, 24):
        made = random_tokens().copy()
        drawn = [bytes(row).hex() for row in made]
        rule = WHOLE["md5 of sha1"]
        mixed = [name[:at] + rule(p)[3:11] + name[at + 8 :] for name, p in zip(drawn, PEOPLE, strict=True)]
        own = np.array([list(bytes.fromhex(name)) for name in mixed], np.uint8)
        assert Tried(PEOPLE).followed(own) >= 8


def test_a_mask_hides_nothing():
    mask = random_tokens(1)
    made = tokens_of(WHOLE["doubled"]) ^ mask
    assert Tried(PEOPLE).whole(made) == 0
    assert Tried(PEOPLE).followed(made) >= 30


def test_random_names_are_not_accused():
    tried = Tried(PEOPLE)
    for _ in range(20):
        own = random_tokens()
        assert tried.followed(own) == tried.whole(own) == 0
    few = Tried(PEOPLE[:3])
    assert few.followed(random_tokens(3)) == 0


def test_rules_stand_in_the_same_places_for_everybody():
    odd = [b"", b"7", b"x" * 500, "Zoë 山".encode(), b"\xff\xfe", b"9" * 60, b"deadbeef", b"-1"]
    assert len({len(many(Known(name, (1, 2)))) for name in odd}) == 1
    assert len({len(answers(Known(name, (1, 2)))) for name in odd}) == 1


@pytest.mark.parametrize("seed", [0, 1_999, 9_999, 12_345, 65_535, 1_000_000, 2**31 - 1, 1984, 20_241_231])
def test_likely_seeds_are_tried(seed):
    key = hashlib.blake2b(str(seed).encode(), digest_size=32, person=b"shoal-seed").digest()
    token = hashlib.blake2b(b"ann", digest_size=16, key=key).digest()
    assert seeded([(b"ann",)], frozenset([token])) == 1
    assert seeded([(b"bob",)], frozenset([token])) == 0


def test_seeds_are_tried_once():
    tried = list(seeds())
    assert len(set(tried)) == len(tried)


def test_common_digests_are_tried_on_everybody():
    made = tokens_of(lambda p: hexed("sha256", p.name)[32:])
    assert guessed(NAMES, made) == len(NAMES)
    assert guessed(NAMES, made[:1]) == 1
    assert guessed(NAMES, random_tokens()) == guessed([], made) == 0
    filled = np.concatenate((random_tokens()[:, :8], tokens_of(lambda p: hexed("sha1", p.name)[-32:])[:, 8:]), axis=1)
    assert guessed(NAMES, filled) == len(NAMES)


def test_eight_people_are_too_few_to_tell_and_no_fault():
    """All of them decide which rules are tried further, and nobody is left for that."""
    known = [Known(f"person-{number}".encode(), (number, number + 1)) for number in range(8)]
    own = np.stack([np.frombuffer(hashlib.md5(person.name).digest(), np.uint8) for person in known])
    mask = np.full(16, 0x5A, np.uint8)
    assert Tried(known).followed(own) == Tried(known).followed(own ^ mask) == 0
