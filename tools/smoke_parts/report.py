"""Figures and breaches of each scenario."""

import time

TITLES = {
    1: "get of 201 files under SIGKILL",
    2: "1,000 adds beside a run under SIGKILL",
    3: "get of 10,000 small files",
    4: "bad input",
}


class Scenario:
    def __init__(self, number):
        self.number = number
        self.figures = []
        self.breaches = []
        self.start = time.monotonic()
        print(f"smoke: {number}. {TITLES[number]}", flush=True)

    def figure(self, name, value, bound=""):
        self.figures.append((name, str(value), bound))

    def breach(self, words):
        self.breaches.append(words)
        print(f"smoke: {self.number}. BREACH: {words}", flush=True)

    def expect(self, holds, words):
        if not holds:
            self.breach(words)
        return holds


class Report:
    def __init__(self):
        self.scenarios = {}

    def scenario(self, number):
        if number not in self.scenarios:
            self.scenarios[number] = Scenario(number)
        return self.scenarios[number]

    @property
    def breaches(self):
        return [(s.number, words) for s in self.scenarios.values() for words in s.breaches]

    def print(self, seconds, seed):
        print()
        for scenario in self.scenarios.values():
            print(f"{scenario.number}. {TITLES[scenario.number]}")
            for name, value, bound in scenario.figures:
                print(f"   {name:<34}{value:>14}  {bound}".rstrip())
        print(f"\n{seconds:.0f} s, seed {seed}")
        for number, words in self.breaches:
            print(f"BREACH in {number}: {words}")
        print("smoke: failed" if self.breaches else "smoke: passed")
