#include "tests/cluster/patroni.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <pwd.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

#include "base/json.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/http.hpp"

namespace waybill::tests {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* user = "postgres";
constexpr int patroni_port = 8008;
constexpr int etcd_peer_port = 2380;
constexpr Deadline recovery_limit = 300s;

std::string address_of(std::size_t server) { return "10.0.0.1" + std::to_string(server + 1); }
std::string name_of(std::size_t server) { return "db" + std::to_string(server + 1); }

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("no file " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error("deploy/patroni lacks \"" + std::string(what) + "\"");
  text.replace(at, what.size(), by);
}

void give_to_user(const fs::path& path) {
  const passwd* const account = getpwnam(user);
  if (account == nullptr || chown(path.c_str(), account->pw_uid, account->pw_gid) != 0)
    throw std::runtime_error("chown " + path.string());
}

/// The settings of etcd.env for a server.
std::vector<std::string> etcd_settings(std::size_t server, const fs::path& data) {
  std::istringstream lines(content("deploy/patroni/etcd.env"));
  std::vector<std::string> settings;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("ETCD_")) continue;
    if (line.starts_with("ETCD_NAME=")) line = "ETCD_NAME=" + name_of(server);
    if (line.starts_with("ETCD_DATA_DIR=")) line = "ETCD_DATA_DIR=" + data.string();
    if (line.find("_URLS=") != std::string::npos) replace(line, "10.0.0.11", address_of(server));
    settings.push_back(line);
  }
  return settings;
}

std::string patroni_settings(std::size_t server, const fs::path& home) {
  std::string text = content("deploy/patroni/patroni.yml");
  replace(text, "name: db1", "name: " + name_of(server));
  replace(text, "connect_address: 10.0.0.11:8008", "connect_address: " + address_of(server) + ":8008");
  replace(text, "connect_address: 10.0.0.11:5432", "connect_address: " + address_of(server) + ":5432");
  replace(text, "/usr/lib/postgresql/15/bin", server_programs().string());
  replace(text, "/var/lib/postgresql/15/waybill", (home / "data").string());
  replace(text, "/var/lib/postgresql/patroni.pgpass", (home / "pgpass").string());
  replace(text, "shared_buffers: 2GB", "shared_buffers: 64MB");
  // The machines share one file system.
  replace(text, "  authentication:",
          "  parameters:\n    unix_socket_directories: " + home.string() + "\n  authentication:");
  return text;
}

}  // namespace

Patroni::Patroni() {
  using enum fs::perms;
  fs::permissions(directory_.path(), owner_all | group_read | group_exec | others_read | others_exec);
  for (std::size_t server = 0; server < size; ++server) {
    const fs::path home = directory_ / name_of(server);
    fs::create_directories(home);
    give_to_user(home);
    fs::permissions(home, fs::perms::owner_all);
    std::ofstream(home / "patroni.yml") << patroni_settings(server, home);
    give_to_user(home / "patroni.yml");
    servers_.at(server).machine = std::make_unique<Machine>(name_of(server), address_of(server));
    start_etcd(server);
  }
  for (std::size_t server = 0; server < size; ++server) start_patroni(server);
  wait_until_complete();
  create_database();
}

void Patroni::start_etcd(std::size_t server) {
  const fs::path home = directory_ / name_of(server);
  std::vector<std::string> command = servers_.at(server).machine->enter(user);
  command.emplace_back("env");
  std::ranges::copy(etcd_settings(server, home / "etcd"), std::back_inserter(command));
  command.emplace_back("etcd");
  servers_.at(server).etcd = std::make_unique<Process>(command);
}

void Patroni::start_patroni(std::size_t server) {
  std::vector<std::string> command = servers_.at(server).machine->enter(user);
  command.insert(command.end(), {"patroni", directory_ / name_of(server) / "patroni.yml"});
  servers_.at(server).patroni = std::make_unique<Process>(command);
}

void Patroni::create_database() const {
  const std::size_t server = primary();
  Session admin("postgresql://postgres:CHANGE-THIS-1@" + address_of(server) + "/postgres");
  admin.exec("create role waybill login password 'waybill'");
  admin.exec("create database waybill owner waybill");
  // libpq does not try the next host if a standby does not know the database yet.
  for (std::size_t each = 0; each < size; ++each) {
    const bool known = eventually(
        [&] {
          try {
            const Session session(url(each));
            return true;
          } catch (const std::runtime_error&) {
            return false;
          }
        },
        recovery_limit);
    if (!known) throw std::runtime_error(name_of(each) + " does not replay");
  }
}

std::string Patroni::url() const {
  std::string hosts;
  for (std::size_t server = 0; server < size; ++server)
    hosts += (hosts.empty() ? "" : ",") + address_of(server);
  return "postgresql://waybill:waybill@" + hosts + "/waybill";
}

std::string Patroni::url_with_ports() const {
  std::string hosts;
  for (std::size_t server = 0; server < size; ++server)
    hosts += (hosts.empty() ? "" : ",") + address_of(server) + ":5432";
  return "postgresql://waybill:waybill@" + hosts + "/waybill";
}

std::string Patroni::url(std::size_t server) const {
  return "postgresql://waybill:waybill@" + address_of(server) +
         "/waybill?target_session_attrs=any&connect_timeout=2&tcp_user_timeout=2000";
}

/// The primary, if Patroni reports the cluster as complete.
std::optional<std::size_t> Patroni::complete_primary() const {
  for (std::size_t asked = 0; asked < size; ++asked) {
    try {
      Http http(address_of(asked), patroni_port);
      http.set_deadline(2s);
      const json::value cluster = http.get("/cluster").body;
      std::optional<std::size_t> leader;
      std::size_t following = 0;
      std::size_t synchronous = 0;
      for (const json::value& member : cluster.at("members").as_array()) {
        const std::string role = text_at(member, "role");
        const std::string state = text_at(member, "state");
        if (role == "leader" && state == "running")
          leader = static_cast<std::size_t>(text_at(member, "name").back() - '1');
        else if (state == "running" || state == "streaming")
          ++following;
        if (role == "sync_standby") ++synchronous;
      }
      if (!leader || following != size - 1 || (synchronous > 0) != synchronous_) return std::nullopt;
      return leader;
    } catch (const std::exception&) {
      continue;
    }
  }
  return std::nullopt;
}

void Patroni::wait_until_complete() {
  const bool complete = eventually(
      [&] {
        const auto leader = complete_primary();
        if (!leader) return false;
        try {
          Session admin("postgresql://postgres:CHANGE-THIS-1@" + address_of(*leader) + "/postgres");
          return admin.number("select count(*) from pg_stat_replication where state = 'streaming'") ==
                 static_cast<std::int64_t>(size - 1);
        } catch (const std::runtime_error&) {
          return false;
        }
      },
      recovery_limit);
  if (complete) return;
  throw std::runtime_error("the PostgreSQL cluster is not complete" + logs());
}

std::string Patroni::logs() const {
  constexpr std::size_t length = 2000;
  std::string text;
  for (const Server& server : servers_) {
    const std::string log = server.patroni->standard_error();
    text += "\n" + server.machine->name() + ": " + log.substr(log.size() - std::min(log.size(), length));
  }
  return text;
}

std::size_t Patroni::primary() const {
  std::optional<std::size_t> found;
  eventually([&] { return (found = complete_primary()).has_value(); }, recovery_limit);
  if (!found) throw std::runtime_error("no primary");
  return *found;
}

void Patroni::set_synchronous(bool on) {
  Http http(address_of(primary()), patroni_port);
  const Response response = http.patch("/config", {{"synchronous_mode", on}});
  if (response.status != 200) throw std::runtime_error("patroni: " + response.text);
  synchronous_ = on;
  wait_until_complete();
}

void Patroni::switch_over() {
  const std::size_t leader = primary();
  Http http(address_of(leader), patroni_port);
  http.set_deadline(recovery_limit);
  const Response response = http.post("/switchover", {{"leader", name_of(leader)}});
  if (response.status != 200) throw std::runtime_error("patroni: " + response.text);
}

std::size_t Patroni::kill_primary(bool and_patroni) {
  const std::size_t leader = primary();
  const Machine& machine = *servers_.at(leader).machine;
  if (and_patroni) {
    machine.signal("patroni", SIGKILL);
    servers_.at(leader).patroni->wait_exit();
  }
  if (machine.signal("postgres", SIGKILL) == 0) throw std::runtime_error("the primary does not run");
  return leader;
}

std::size_t Patroni::cut_primary_from_etcd() {
  const std::size_t leader = primary();
  servers_.at(leader).machine->block(etcd_peer_port);
  servers_.at(leader).machine->block(2379);
  servers_.at(leader).is_cut = true;
  return leader;
}

void Patroni::repair() {
  for (std::size_t server = 0; server < size; ++server) {
    if (std::exchange(servers_.at(server).is_cut, false)) {
      servers_.at(server).machine->unblock(etcd_peer_port);
      servers_.at(server).machine->unblock(2379);
    }
    if (!servers_.at(server).patroni->running()) start_patroni(server);
  }
  wait_until_complete();
}

}  // namespace waybill::tests
