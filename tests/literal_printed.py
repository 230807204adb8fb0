"""The printed algorithm transcribed a second time, independently of the package."""

from compass.errors import NoLegalDestination


class Literal:
    """A second, independent transcription: plain lists, every search a scan; sequential, with room ``floor``."""

    def __init__(self, nodes, readings):
        self.r = readings
        self.nodes = [
            [] for _ in range(nodes)
        ]  # a node is a list of [width, anchor or None, ones]; pool: one [0, None, ones]
        self.backwards = -1 if readings.ties == "highest" else 1
        self.moves = []

    def ordered(self, items):
        return list(items)[:: self.backwards]

    def scan(self):
        return self.ordered(range(len(self.nodes)))

    def free(self, n):
        return 8 - sum(slot[0] for slot in self.nodes[n])

    def is_pool(self, n):
        return bool(self.nodes[n]) and self.nodes[n][0][0] == 0

    def pools(self):
        return [n for n in self.scan() if self.is_pool(n)]

    def held(self, n):
        return len(self.nodes[n][0][2])

    def put_one(self, name, came_from, excluded=None):
        found = [
            (slot[0] - slot[1][1] - len(slot[2]), n, slot)
            for n in self.scan()
            for slot in self.ordered(self.nodes[n])
            if slot[1] and slot is not excluded and slot[1][1] + len(slot[2]) < slot[0]
        ]
        rooms = [n for n in self.pools() if self.held(n) < 8]
        if found:
            best = (min if self.r.fill == "tightest" else max)(f[0] for f in found)
            _, n, slot = next(f for f in found if f[0] == best)
        elif rooms:
            n = (max if self.r.pool == "fullest" else min)(rooms, key=self.held)
            slot = self.nodes[n][0]
        else:
            n = next((n for n in self.scan() if not self.nodes[n]), None)
            if n is None:
                raise NoLegalDestination
            slot = [0, None, []]
            self.nodes[n].append(slot)
        slot[2].append(name)
        self.log(name, came_from, n)

    def log(self, name, source, target):
        if source != target:
            self.moves.append((name, source, target))

    def draw(self, n, slot, number):
        for _ in range(number):
            if not self.pools():
                return
            pool = (min if self.r.draw == "emptiest" else max)(self.pools(), key=self.held)
            name = self.ordered(self.nodes[pool][0][2])[0]
            self.take_one(name)
            slot[2].append(name)
            self.log(name, pool, n)

    def take_one(self, name):
        for n, node in enumerate(self.nodes):
            for slot in node:
                if name in slot[2]:
                    slot[2].remove(name)
                    if not slot[2] and not slot[1]:
                        node.remove(slot)
                    return n, slot
        raise AssertionError(name)

    def place(self, name, gpus):
        if gpus == 1:
            self.put_one(name, None)
            return
        width = {2: 2, 3: 4, 4: 4}.get(gpus, 8)
        slotted = [n for n in self.scan() if self.nodes[n] and not self.is_pool(n) and self.free(n) >= width]
        empty = [n for n in self.scan() if not self.nodes[n]]
        if not slotted and not empty:
            raise NoLegalDestination
        n = min(slotted, key=self.free) if slotted else empty[0]
        slot = [width, (name, gpus), []]
        self.nodes[n].append(slot)
        self.log(name, None, n)
        self.draw(n, slot, width - gpus)

    def remove(self, name, gpus):
        if gpus == 1:
            n, slot = self.take_one(name)
            if slot[1] and self.r.refill == "text":
                self.draw(n, slot, 1)
            return
        n, slot = next((n, s) for n, node in enumerate(self.nodes) for s in node if s[1] == (name, gpus))
        if self.r.rehome == "after":
            self.nodes[n].remove(slot)
        for filler in self.ordered(slot[2]):
            slot[2].remove(filler)
            self.put_one(filler, n, slot)
        if self.r.rehome == "before":
            self.nodes[n].remove(slot)

    def compact(self):
        for width in (0, 4, 2):

            def items(n, width=width):
                slots = [slot for slot in self.nodes[n] if slot[0] == width]
                return slots if width else [one for slot in slots for one in slot[2]]

            def room(n, width=width):
                return self.free(n) // width if width else 8 - len(items(n))

            listed = [n for n in self.scan() if items(n) and room(n) >= 1]
            listed.sort(key=room, reverse=True)
            while len(listed) >= 2:
                source, moved = listed[0], False
                for item in self.ordered(items(source)):
                    hosts = [n for n in listed if n != source and room(n) >= 1]
                    if self.r.hosts == "last":
                        hosts.reverse()
                    if not hosts:
                        break
                    self.shift(item, source, min(hosts, key=room))
                    moved = True
                if not items(source):
                    listed.remove(source)
                if not moved:
                    break

    def shift(self, item, source, target):
        if isinstance(item, str):
            self.take_one(item)
            self.nodes[target][0][2].append(item)
            self.log(item, source, target)
            return
        self.nodes[source].remove(item)
        self.nodes[target].append(item)
        for name in (item[1][0], *item[2]):
            self.log(name, source, target)
