#include "tests/cluster/fixture.hpp"

#include <algorithm>
#include <atomic>
#include <iomanip>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t orders_of_a_shop = 20;
constexpr Deadline recovery_limit = 120s;

Shop open_shop(const Waybill& api, const Receiver& receiver, std::size_t number) {
  Tenant tenant(api, "shop " + std::to_string(number));
  const json::object matches{{"deliveryAddress.city", matching_city}};
  tenant.webhook(receiver.url("/hook"), "order_created", {{"conditions", matches}, {"ordered", true}});
  tenant.webhook(receiver.url("/hook"), "order_updated",
                 {{"conditions", {{"deliveryAddress.city", matching_city}, {"notes", {{"changed", true}}}}},
                  {"ordered", true}});
  tenant.update_status("order_created", "", "processing");
  Shop shop{tenant.id, tenant.http.token(), {}};
  for (std::size_t i = 0; i < orders_of_a_shop; ++i) {
    const std::string city = i % 4 == 3 ? other_city : matching_city;
    shop.orders.push_back(
        tenant.insert_order({{"delivery_city", "'" + city + "'"},
                             {"notes", "'first-" + std::to_string(number) + "-" + std::to_string(i) + "'"}}));
  }
  return shop;
}

}  // namespace

void Sample::add(const std::vector<Milliseconds>& durations) {
  durations_.insert(durations_.end(), durations.begin(), durations.end());
}

Milliseconds Sample::percentile(double share) const {
  if (durations_.empty()) return Milliseconds::zero();
  std::vector<Milliseconds> sorted = durations_;
  std::ranges::sort(sorted);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::string Sample::text() const {
  const auto ms = [&](double share) { return std::to_string(percentile(share).count()); };
  return "n " + std::to_string(durations_.size()) + ", median " + ms(0.5) + " ms, p99 " + ms(0.99) +
         " ms, max " + ms(1) + " ms";
}

std::string Sample::seconds(double share) const {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << std::chrono::duration<double>(percentile(share)).count()
       << " s";
  return text.str();
}

void LoadedCluster::open_shops() {
  for (std::size_t i = 0; i < shop_count; ++i) shops.push_back(open_shop(service->api(), receiver, i));
}

void LoadedCluster::start_load(const std::string& program) {
  start_cluster(program);
  const auto wanted = std::max<std::uint64_t>(from_environment("WAYBILL_CLUSTER_RATE", 300), 1);
  start_writers(Deadline(2000UL * shop_count / wanted));
  if (!ledger.wait_for_progress(200, recovery_limit)) throw std::runtime_error("no webhooks arrive");
  const auto from = steady_clock::now();
  let_load_run(10s);
  const double achieved = rate(from, steady_clock::now());
  std::cout << "changes without a fault: " << static_cast<int>(achieved) << "/s of " << wanted << "/s\n";
  EXPECT_GE(achieved, 0.9 * static_cast<double>(wanted))
      << "this machine needs a smaller WAYBILL_CLUSTER_RATE";
}

double LoadedCluster::rate(Ledger::Moment from, Ledger::Moment until) const {
  return static_cast<double>(ledger.acknowledged(from, until)) /
         std::chrono::duration<double>(until - from).count();
}

void LoadedCluster::print_row(const std::string& fault, std::size_t times, const std::string& lost,
                              const std::string& delay) {
  if (HasFailure()) return;
  std::cout << "| " << fault << " | " << times << " | " << lost << " | " << delay << " |\n";
}

void LoadedCluster::start_writers(Deadline interval) {
  writers = std::make_unique<Writers>(
      ledger, shops, postgres->url() + "?tcp_user_timeout=4000&connect_timeout=2",
      [this] { return service->port(); }, std::random_device{}(), interval);
}

void LoadedCluster::start_cluster(const std::string& program) {
  postgres = std::make_unique<Patroni>();
  service =
      std::make_unique<Service>(program.empty() ? postgres->url() : postgres->url_with_ports(), program);
  receiver.on_request([this](const Received& request) {
    ledger.received(text_at(request.json_body(), "data.entity.notes"), request.header("webhook-id"));
    return Reply::with_status(200);
  });
  open_shops();
}

void LoadedCluster::let_load_run(Milliseconds time) const {
  std::this_thread::sleep_for(time);  // the duration of the load, not a wait for a result
}

Session LoadedCluster::finish_load() {
  writers->stop();
  postgres->wait_until_complete();
  Session database(postgres->url());
  const auto becomes_empty = [&](const std::string& table) {
    return eventually([&] { return database.number("select count(*) from " + table) == 0; }, recovery_limit);
  };
  EXPECT_TRUE(becomes_empty("pending_events"));
  EXPECT_TRUE(becomes_empty("run_queue"));
  return database;
}

void LoadedCluster::print_answers() const {
  std::cout << "answers of the API:";
  for (const auto& [status, count] : ledger.answers())
    std::cout << " " << (status == 0 ? "none" : std::to_string(status)) << " " << count;
  std::cout << "\n";
  for (const std::string& failure : ledger.failures()) std::cout << "  " << failure << "\n";
}

void LoadedCluster::check_everything(Session& database, Ledger::Moment ordered_since) const {
  ledger.check(database);
  ledger.check_order(database, ordered_since);
  print_answers();
  EXPECT_EQ(ledger.answers()[500], 0U);
  const std::string moves =
      "(select entity_id from events where (order_before).status = 'pending' and (order_after).status = "
      "'processing')";
  EXPECT_EQ(database.number("select count(*) from " + moves + " m"),
            database.number("select count(*) from orders"))
      << "each order moves";
  EXPECT_EQ(database.number("select count(distinct entity_id) from " + moves + " m"),
            database.number("select count(*) from orders"))
      << "none moves twice";
}

LoadedCluster::Recovery LoadedCluster::watch_recovery(std::optional<std::size_t> except) {
  const auto fault = steady_clock::now();
  const Shop& shop = shops.front();
  std::atomic<bool> done = false;
  std::mutex mutex;
  std::optional<std::pair<steady_clock::time_point, std::string>> written;
  const int probe = ++probes_;
  const auto watch = [&](std::size_t server) {
    std::optional<Session> session;
    for (int attempt = 0; !done; ++attempt) {
      const std::string mark =
          "probe-" + std::to_string(probe) + "-" + std::to_string(server) + "-" + std::to_string(attempt);
      try {
        if (!session) session.emplace(postgres->url(server));
        session->exec("insert into orders (business_id, order_number, delivery_city, notes) values ('" +
                      shop.id + "', '" + mark + "', '" + matching_city + "', '" + mark + "')");
        ledger.wrote(mark, Ledger::Fate::committed);
        const std::lock_guard lock(mutex);
        if (!done.exchange(true)) written.emplace(steady_clock::now(), mark);
      } catch (const std::runtime_error& error) {
        const std::string problem = error.what();
        if (problem.find("read-only") == std::string::npos) {
          ledger.wrote(mark, Ledger::Fate::unknown);
          session.reset();
        }
        std::this_thread::sleep_for(10ms);
      }
      if (steady_clock::now() - fault > recovery_limit) done = true;
    }
  };
  std::vector<std::thread> watchers;
  for (std::size_t server = 0; server < Patroni::size; ++server) {
    if (server != except) watchers.emplace_back(watch, server);
  }
  for (std::thread& watcher : watchers) watcher.join();
  if (!written) throw std::runtime_error("no server takes writes" + postgres->logs());
  Recovery result;
  result.writable = std::chrono::ceil<Milliseconds>(written->first - fault);
  eventually(
      [&] {
        try {
          Http http("127.0.0.1", service->port(), shop.token);
          http.set_deadline(5s);
          return http.put("/api/v1/Orders/" + shop.orders.back(), {{"customer", {{"name", "Ada"}}}}).status ==
                 200;
        } catch (const std::runtime_error&) {
          return false;
        }
      },
      30s);
  result.api = std::chrono::ceil<Milliseconds>(steady_clock::now() - written->first);
  if (!eventually([&] { return ledger.arrival(written->second).has_value(); }, 60s))
    throw std::runtime_error("the webhook of " + written->second + " does not arrive");
  result.webhook = std::chrono::ceil<Milliseconds>(*ledger.arrival(written->second) - written->first);
  return result;
}

}  // namespace waybill::tests
