"""What views share that train: steps in slices, as the front end asks for more, so that a reader can stop them."""

from itertools import islice

from ...core.arguments import TooLarge
from ...language import _, plural
from .traits import Switch, Whole
from .view import View, within


class InSlices(View):
    """The base of such a view. `trained` holds what was learned.

    Traits: n, the step that is looked at: if training has not come so far, it goes on to there. running, whether the
    front end asks for more steps; asked, how often it has; restarts, how often it was started again. A class says how
    many steps one slice has, after how many it stops by itself, and which is the last.
    """

    SLICE, GOAL, LAST_STEP = 10, 300, 1500
    n = Whole(0)
    running = Switch(False)
    asked = Whole(0)
    restarts = Whole(0)
    trained = None
    _learned_from = None
    _goal, _looked, _asked, _ran, _from = GOAL, 0, 0, False, 0  # at the last picture

    def words(self):
        return {"n": _("Look at step"), "progress": _("Trained"), "again": _("Start again")}

    def learn(self, train, *settings, every=1):
        """Take the steps that are asked for of train(*settings). Whether these are others than before: then from anew.

        Weights are kept after each `every` steps.
        """
        is_first, settings = self.trained is None, (settings, self.restarts)
        is_new = settings != self._learned_from
        if is_new:
            self.trained, self._learned_from = Trained(train(*settings[0]), every), settings
            self._goal, self._from = self.GOAL, 0
            if not is_first:
                self.settle(n=0)
        self._go_on()
        self.settle(n=self.n // every * every)
        return is_new and not is_first

    def _go_on(self):
        """Stop at the goal, where float64 ends, or where one looks back."""
        trained, running, is_asked = self.trained, self.running, self.asked != self._asked
        last = trained.last
        if running and not self._ran:  # Start or Continue
            self._from = last
            if last >= self._goal:
                self._goal = min(last + self.GOAL, self.LAST_STEP)
        elif running and self.n != self._looked and self.n < last:
            running = False
        wanted = min(last + self.SLICE, self._goal) if running and is_asked else within(self.n, 1 + self.LAST_STEP)
        trained.go_to(wanted)
        self._goal = max(self._goal, -(-trained.last // self.GOAL) * self.GOAL)
        running = running and trained.last < self._goal and not trained.end
        self.settle(n=min(wanted, trained.last), running=running)
        self._looked, self._asked, self._ran = self.n, self.asked, running

    def put_back(self, error, *names):
        """As in every view; and training stops where something was refused."""
        super().put_back(error, *names)
        self.settle(running=False)
        self.state = self.state | self.asking()

    def asking(self):
        """What the front end goes by: whether to ask for more, how often it has, and what its button does."""
        press = _("Stop") if self.running else _("Continue") if self.trained.last else _("Start")
        return {"running": self.running, "asked": self.asked, "press": press}

    def stands(self, is_new):
        """Where training stands, to draw; `is_new`: it has just begun anew."""
        last = self.trained.last
        return {
            "said": self.said(is_new),
            "full": self.full(),
            "trained": last,
            "goal": self._goal,
            "progress": _("{n} of {goal} steps", n=last, goal=self._goal),
            "step": _("{n} of {last}", n=self.n, last=last),
            **self.asking(),
        }

    def full(self):
        """Why there can be no more steps, or ""."""
        n = f"{self.LAST_STEP:,}"
        if self.trained.last < self.LAST_STEP:
            return self.trained.end
        if self.GOAL == self.LAST_STEP:
            return _("All {n} steps are done: another seed begins anew.", n=n)
        return _("There is room for {n} steps: another seed begins anew.", n=n)

    def said(self, is_new):
        """What goes on: a sentence that stays the same from slice to slice, since it is read aloud."""
        if full := self.full():
            return full
        if self.running:
            return _("Continuing from step {n}.", n=self._from) if self._from else _("Learning, from random weights.")
        if is_new:
            return _("Begun anew: the weights are random again. Press Start.")
        if self.trained.last:
            return plural("{n} step is done.", "{n} steps are done.", self.trained.last)
        return _("The weights are random: nothing has been learned yet.")


class Trained:
    """What has been learned so far: the `losses`, `weights` (step -> dict), and in `end` why there can be no more."""

    end = ""

    def __init__(self, steps, every):
        self._steps, self._every = steps, every
        self.losses, self.weights = [], {}
        self.go_to(0)

    @property
    def last(self):
        return max(self.weights)

    def go_to(self, n):
        """Learn until there are n steps, or a few more whose weights are kept, or as many as float64 can hold."""
        n = -(-n // self._every) * self._every
        try:
            for it in islice(self._steps, max(0, n + 1 - len(self.losses))):
                self.losses.append(it.loss)
                if it.n % self._every == 0:
                    self.weights[it.n] = it.weights
        except TooLarge as error:
            self.end = _("Training ended: {error}", error=error)
