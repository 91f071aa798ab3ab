#include "tests/cluster/service.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <stdexcept>

#include "storage/schema/migrate.hpp"
#include "storage/statement/statement_list.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

// Long enough that no run is given up during a fault.
constexpr const char* patient_schedule =
    "1s,1s,1s,1s,1s,2s,2s,2s,2s,2s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s,5s";

void expect_success(const std::optional<int>& status, const std::string& what) {
  if (status != 0)
    throw std::runtime_error(what + " ended with " + (status ? std::to_string(*status) : "no status"));
}

/// Applies the migrations of the first release as this program runs them, because PostgreSQL 15.20 refuses
/// one of them as that release runs it (storage/schema/released_migrations.cpp).
void make_first_released_schema(const std::string& database_url) {
  const auto all = storage::migrations();
  const auto last = std::ranges::find(all, "0023_people", &storage::Statement::name);
  storage::migrate(database_url, all.first(static_cast<std::size_t>(last - all.begin()) + 1));
}

}  // namespace

Service::Service(std::string database_url, std::string program)
    : database_url_(std::move(database_url)), program_(std::move(program)) {
  std::ofstream(directory_ / "secret.key") << std::string(64, '5') << '\n';
  using enum std::filesystem::perms;
  std::filesystem::permissions(directory_ / "secret.key", owner_read | owner_write);
  if (!program_.empty()) make_first_released_schema(database_url_);
  migrate();
  for (std::size_t i = 0; i < apis; ++i) {
    const std::string number = std::to_string(i + 1);
    api_machines_.push_back(std::make_unique<Machine>("app" + number, "10.0.0.2" + number));
    apis_.push_back(start("api", *api_machines_.back()));
  }
  for (std::size_t i = 0; i < workers; ++i) {
    const std::string number = std::to_string(i + 1);
    worker_machines_.push_back(std::make_unique<Machine>("worker" + number, "10.0.0.3" + number));
    workers_.push_back(start("worker", *worker_machines_.back()));
  }
  start_proxy();
}

std::unique_ptr<Waybill> Service::start(const std::string& command, const Machine& machine) const {
  Waybill::Options options;
  options.command = command;
  options.program = program_;
  options.listen = machine.address() + ":8080";
  options.retry_schedule = patient_schedule;
  options.secret_key_file = directory_ / "secret.key";
  options.prefix = machine.enter();
  options.arguments = command == "api" ? std::vector<std::string>{"--trusted-proxy", "10.0.0.1"}
                                       : std::vector<std::string>{"--blast-guard-factor", "0"};
  return std::make_unique<Waybill>(database_url_, options);
}

void Service::start_proxy() {
  std::ifstream example("deploy/patroni/haproxy-api.cfg");
  std::string text{std::istreambuf_iterator<char>(example), {}};
  text += "  server app3 10.0.0.23:8080\n";
  std::ofstream(directory_ / "haproxy.cfg") << text;
  proxy_ =
      std::make_unique<Process>(std::vector<std::string>{"haproxy", "-db", "-f", directory_ / "haproxy.cfg"});
  const bool ready = eventually([&] {
    try {
      return Http("127.0.0.1", port()).get("/readyz").status == 200;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
  if (!ready)
    throw std::runtime_error("HAProxy does not serve: " + apis_.front()->process().standard_error() +
                             proxy_->standard_error());
}

void Service::start_api(std::size_t number) { apis_.at(number) = start("api", *api_machines_.at(number)); }

void Service::start_worker(std::size_t number) {
  workers_.at(number) = start("worker", *worker_machines_.at(number));
}

void Service::stop_api(std::size_t number) { expect_success(apis_.at(number)->stop(), "an API"); }

void Service::stop_worker(std::size_t number) { expect_success(workers_.at(number)->stop(), "a worker"); }

void Service::migrate() const {
  const std::string program = program_.empty() ? waybill_binary().string() : program_;
  const Finished done = run({program, "migrate", "--database-url", database_url_});
  if (done.status != 0) throw std::runtime_error("migrate: " + done.standard_error);
}

}  // namespace waybill::tests
