"""Starts compose.yaml without Docker, each service in a network namespace with the addresses that the file gives it, and
waits for the first webhook.

compose.py DEPLOY-FOLDER WORK-FOLDER IMAGE-ROOT IMAGE-SETTINGS

DEPLOY-FOLDER is a copy of deploy/, because the secrets are made in it. The services of waybill run in the root of the image.
The programs of the other images are those of this machine, with the files, commands and variables of compose.yaml. The
caller has given this process a network namespace of its own. Prints one line for each result; all else goes to stderr."""

import ipaddress
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import yaml

here = os.path.dirname(os.path.abspath(__file__))
postgres_programs = "/usr/lib/postgresql/15/bin"
patience = 120


def run(*command):
    subprocess.run(command, stdout=sys.stderr, check=True)


def wait_until(condition, what):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: did not happen within {patience} s")
        time.sleep(0.05)


def seconds(text):
    return float(text.removesuffix("s"))


class Names(threading.Thread):
    """The DNS server of the networks: an A record for each service (RFC 1035)."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.addresses = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 53))

    def run(self):
        while True:
            query, client = self.socket.recvfrom(512)
            labels, at = [], 12
            while query[at]:
                labels.append(query[at + 1 : at + 1 + query[at]].decode())
                at += 1 + query[at]
            question = query[12 : at + 5]
            known = self.addresses.get(".".join(labels).lower())
            # Type A and class IN. A known name without such an address has an empty answer.
            found = [known] if known and question[-4:] == b"\x00\x01\x00\x01" else []
            flags = b"\x85\x80" if known else b"\x85\x83"
            header = query[:2] + flags + b"\x00\x01" + len(found).to_bytes(2, "big") + b"\x00\x00\x00\x00"
            # The name is that of the question; it may be kept for a second.
            records = b"".join(b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x01\x00\x04" + each.packed for each in found)
            self.socket.sendto(header + question + records, client)


class Networks:
    """The bridges of the file's networks, in this process's namespace."""

    def __init__(self, networks):
        self.subnets, self.free = {}, {}
        run("ip", "link", "set", "lo", "up")
        for name, network in networks.items():
            config = network["ipam"]["config"][0]
            self.subnets[name] = ipaddress.ip_network(config["subnet"])
            self.free[name] = ipaddress.ip_network(config["ip_range"]).hosts()
            # With a fixed address: otherwise the bridge takes another one when a port joins, and neighbours lose it.
            run("ip", "link", "add", name, "address", f"02:00:00:00:00:0{len(self.subnets)}", "type", "bridge")
            run("ip", "address", "add", f"{self.gateway(name)}/{self.subnets[name].prefixlen}", "dev", name)
            run("ip", "link", "set", name, "up")

    def gateway(self, network):
        return next(self.subnets[network].hosts())

    def connect(self, holder, service, networks):
        """Connects the namespace of the process `holder` to networks. Returns its address in each."""
        addresses = {}
        run("nsenter", f"--net=/proc/{holder}/ns/net", "ip", "link", "set", "lo", "up")
        for number, (network, settings) in enumerate(networks.items()):
            address = ipaddress.ip_address((settings or {}).get("ipv4_address") or next(self.free[network]))
            outside, inside = f"v{holder}-{number}", f"eth{number}"
            run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", str(holder))
            run("ip", "link", "set", outside, "master", network, "up")
            enter = ("nsenter", f"--net=/proc/{holder}/ns/net", "ip")
            run(*enter, "address", "add", f"{address}/{self.subnets[network].prefixlen}", "dev", inside)
            run(*enter, "link", "set", inside, "up")
            addresses[network] = address
        return addresses


class Service:
    """A service of the file; `command` and `exec` begin the command lines of its process."""

    def __init__(self, compose, name, settings):
        self.compose, self.name, self.settings = compose, name, settings
        self.process = None
        self.holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo ready; exec sleep infinity"], stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        networks = settings["networks"]
        networks = networks if isinstance(networks, dict) else dict.fromkeys(networks)
        self.addresses = compose.networks.connect(self.holder.pid, name, networks)
        compose.names.addresses[name] = next(iter(self.addresses.values()))

    def enter(self):
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]

    def here(self, command, user=None):
        """A command line with this machine's programs; the resolver's settings are those of the networks."""
        settings = shlex.quote(self.compose.resolver)
        begin = f"mount --bind {settings} $(realpath /etc/resolv.conf) && exec "
        if user:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
        return [*self.enter(), "unshare", "--mount", "sh", "-c", begin + shlex.join(command)]

    def secret(self, name):
        return os.path.join(self.compose.folder, self.compose.file["secrets"][name]["file"])

    def in_image(self, arguments):
        """A command line with the image's entrypoint."""
        image = self.compose.image
        mounts = [f"{self.compose.resolver}:/etc/resolv.conf:ro"]
        mounts += [f"{self.secret(name)}:/run/secrets/{name}:ro" for name in self.settings.get("secrets", [])]
        for volume in self.settings.get("volumes", []):
            name, place = volume.split(":")
            mounts.append(f"{self.compose.volume(name, image['User'])}:{place}")
        variables = [each for each in image["Env"] if not each.startswith("PATH=")]
        variables += [f"{name}={value}" for name, value in self.settings["environment"].items()]
        command = [*self.enter(), os.path.join(here, "contain"), self.compose.root, image["User"]]
        for mount in mounts:
            command += ["--mount", mount]
        for variable in variables:
            command += ["--variable", variable]
        return [*command, "--", *image["Entrypoint"], *arguments]

    def postgres(self):
        """The command of the image postgres, after what its entrypoint does with an empty volume."""
        variables = self.settings["environment"]
        data = os.path.join(self.compose.volume("postgres", "postgres:postgres"), "data")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        password = os.path.join(self.compose.work, "password")
        with open(self.secret("postgres-password"), encoding="utf-8") as file:
            text = file.read()
        with open(password, "w", encoding="utf-8") as file:
            file.write(text)
        user, database = variables["POSTGRES_USER"], variables["POSTGRES_DB"]
        initdb = [f"{postgres_programs}/initdb", "-D", data, f"--username={user}", f"--pwfile={password}"]
        run(*as_user, *initdb, *variables["POSTGRES_INITDB_ARGS"].split())
        subprocess.run(
            [*as_user, f"{postgres_programs}/postgres", "--single", "-D", data, "postgres"],
            input=f'create database "{database}"', text=True, stdout=sys.stderr, check=True,
        )
        with open(os.path.join(data, "pg_hba.conf"), "a", encoding="utf-8") as file:
            file.write("host all all all scram-sha-256\n")
        command = self.settings["command"]
        program = [f"{postgres_programs}/{command[0]}", *command[1:]]
        return self.here([*program, "-D", data, "-c", "listen_addresses=*", "-c", "unix_socket_directories="], "postgres")

    def files(self):
        """The files that are mounted, by their place in the container."""
        pairs = (volume.split(":")[:2] for volume in self.settings["volumes"])
        return {place: os.path.normpath(os.path.join(self.compose.folder, source)) for source, place in pairs if source[0] == "."}

    def haproxy(self):
        return self.here(["haproxy", "-W", "-db", "-f", self.files()["/usr/local/etc/haproxy/haproxy.cfg"]])

    def prometheus(self):
        """The mounted files have the same names in one folder."""
        folder = os.path.join(self.compose.work, "prometheus")
        os.makedirs(folder)
        for place, source in self.files().items():
            os.symlink(source, os.path.join(folder, os.path.basename(place)))
        arguments = [each.replace("=/etc/prometheus", "=" + folder).replace("=/prometheus", f"={folder}/data")
                     for each in self.settings["command"]]
        return self.here(["prometheus", *arguments])

    def start(self):
        image = self.settings["image"].split(":")[0].split("/")[-1]
        command = self.in_image(self.settings["command"]) if image == "waybill" else getattr(self, image)()
        log = open(os.path.join(self.compose.work, self.name + ".log"), "wb")
        self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    def is_healthy(self):
        if self.process.poll() is not None:
            sys.exit(f"{self.name} has ended with {self.process.returncode}")
        kind, *test = self.settings["healthcheck"]["test"]
        assert kind == "CMD"
        return subprocess.run([*self.enter(), *test], capture_output=True, check=False).returncode == 0

    def wait_for(self, condition):
        if condition == "service_completed_successfully":
            if self.process.wait(patience) != 0:
                sys.exit(f"{self.name} has ended with {self.process.returncode}")
        elif condition == "service_healthy":
            wait_until(self.is_healthy, f"{self.name} is healthy")
        else:
            assert condition == "service_started"

    def stop(self):
        """Ends the service with the file's signal, within its time."""
        self.process.send_signal(getattr(signal, self.settings.get("stop_signal", "SIGTERM")))
        return self.process.wait(seconds(self.settings.get("stop_grace_period", "10s")))


class Compose:
    def __init__(self, deploy, work, root, settings):
        self.folder = os.path.join(deploy, "compose")
        self.work, self.root = work, root
        with open(settings, encoding="utf-8") as file:
            self.image = json.load(file)
        with open(os.path.join(self.folder, "compose.yaml"), encoding="utf-8") as file:
            self.file = yaml.safe_load(file)
        self.networks = Networks(self.file["networks"])
        gateway = str(self.networks.gateway("inner"))
        self.names = Names(gateway)
        self.names.start()
        self.resolver = os.path.join(work, "resolv.conf")
        with open(self.resolver, "w", encoding="utf-8") as file:
            file.write(f"nameserver {gateway}\n")
        self.services = {}

    def volume(self, name, owner):
        folder = os.path.join(self.work, "volume-" + name)
        if not os.path.exists(folder):
            os.makedirs(folder, 0o700)
            run("chown", owner, folder)
        return folder

    def start(self, name):
        """Starts a service after those that it depends on."""
        if name in self.services:
            return
        settings = self.file["services"][name]
        for other, dependency in settings.get("depends_on", {}).items():
            self.start(other)
            self.services[other].wait_for(dependency["condition"])
        self.services[name] = Service(self, name, settings)
        self.services[name].start()

    def make_secrets(self):
        run(os.path.join(self.folder, "make-secrets"))
        # The receiver has a private address.
        settings = os.path.join(self.folder, "secrets", "waybill.toml")
        os.chmod(settings, 0o644)
        with open(settings, "a", encoding="utf-8") as file:
            file.write("allow-private-destinations = true\n")


def answer(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return json.load(response)
    except OSError:
        return None


def targets_up(prometheus):
    found = answer(f"http://{prometheus}:9090/api/v1/targets")
    active = found["data"]["activeTargets"] if found else []
    return len(active) == 4 and all(each["health"] == "up" for each in active)


def main():
    compose = Compose(*sys.argv[1:])
    compose.make_secrets()
    others = {"prometheus", "grafana"}
    begin = time.monotonic()
    for name in compose.file["services"]:
        if name not in others:
            compose.start(name)
    services = compose.services
    services["haproxy"].wait_for("service_healthy")
    healthy = time.monotonic() - begin
    token = subprocess.run(
        services["api-1"].in_image(["token", "create", "--business", "Acme"]), capture_output=True, text=True, check=True
    ).stdout.strip()
    address = services["haproxy"].addresses["outer"]
    receiver = str(compose.networks.gateway("outer"))
    run(sys.executable, os.path.join(here, "first_webhook.py"), f"http://{address}:8080", token, receiver)
    print(f"healthy after {healthy:.1f} s, first webhook {time.monotonic() - begin:.1f} s after the start", flush=True)

    for one, other in (("api-1", "api-2"), ("worker-1", "worker-2")):
        assert services[one].stop() == 0
        if one == "api-1":
            wait_until(lambda: services["haproxy"].is_healthy(), "HAProxy serves")
        run(sys.executable, os.path.join(here, "first_webhook.py"), f"http://{address}:8080", token, receiver)
        services[one].start()
    print("and another one without api-1, and without worker-1", flush=True)

    compose.start("prometheus")
    prometheus = services["prometheus"].addresses["inner"]
    wait_until(lambda: targets_up(prometheus), "Prometheus reaches the four processes")
    rules = answer(f"http://{prometheus}:9090/api/v1/rules")["data"]["groups"]
    print(f"Prometheus reaches all processes and has {sum(len(each['rules']) for each in rules)} alerts", flush=True)
    services["prometheus"].stop()

    begin = time.monotonic()
    for name in reversed(list(services)):
        if services[name].process.poll() is None:
            status = services[name].stop()
            assert status == 0 or name == "haproxy", f"{name} has ended with {status}"
    print(f"all end in {time.monotonic() - begin:.1f} s", flush=True)


main()
