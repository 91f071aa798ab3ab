#include "tests/crash/writers.hpp"

#include <chrono>
#include <optional>

#include "tests/harness/eventually.hpp"
#include "tests/harness/http.hpp"

namespace waybill::tests {

namespace {

constexpr auto reconnect_pause = std::chrono::milliseconds(250);

}  // namespace

struct Writers::Client {
  std::string name;
  std::mt19937_64 random;
  std::size_t changes = 0;
  std::chrono::steady_clock::time_point next_change{};

  std::string next_mark() { return name + "-" + std::to_string(++changes); }
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  }
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }
  const char* city() { return below(2) == 0 ? matching_city : other_city; }
};

Writers::Writers(Ledger& ledger, const std::vector<Shop>& shops, std::string database_url,
                 std::function<int()> api_port, std::uint64_t seed, Deadline interval)
    : ledger_(ledger),
      database_url_(std::move(database_url)),
      api_port_(std::move(api_port)),
      interval_(interval) {
  for (const Shop& shop : shops) {
    const std::size_t number = ledger_.add_writer();
    const std::string name = std::to_string(number);
    threads_.emplace_back(
        [this, shop, client = Client{"a" + name, std::mt19937_64(seed + number)}]() mutable {
          write_by_api(shop, client);
        });
    threads_.emplace_back(
        [this, shop, client = Client{"s" + name, std::mt19937_64(~seed + number)}]() mutable {
          write_by_sql(shop, client);
        });
  }
}

void Writers::stop() {
  stopped_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Writers::pause(Client& client) {
  if (interval_ == Deadline::zero()) return;
  std::this_thread::sleep_until(client.next_change);  // the rate of the load, not a wait for a result
  client.next_change = std::max(client.next_change + interval_, std::chrono::steady_clock::now());
}

void Writers::write_by_api(const Shop& shop, Client& client) {
  std::optional<Http> http;
  while (!stopped_) {
    if (interval_ > Deadline::zero()) {
      pause(client);
      change_by_api(http, shop, client);
    } else {
      // A failed change is followed by a pause, so that the writers do not flood a recovering service.
      eventually([&] { return stopped_ || change_by_api(http, shop, client); });
    }
  }
}

bool Writers::change_by_api(std::optional<Http>& http, const Shop& shop, Client& client) {
  const std::string mark = client.next_mark();
  try {
    if (!http) http.emplace("127.0.0.1", api_port_(), shop.token);
    http->set_deadline(std::chrono::seconds(5));
    const Response response =
        client.below(5) == 0
            ? http->post("/api/v1/Orders",
                         {{"customer", {{"name", "Ada"}}},
                          {"items", {{{"description", "Lamp"}, {"quantity", 1}, {"price", 5}}}},
                          {"deliveryAddress", {{"street", "Rua 1"}, {"city", client.city()}}},
                          {"notes", mark}})
            : http->put("/api/v1/Orders/" + client.pick(shop.orders), {{"notes", mark}});
    const bool succeeded = response.status == 200 || response.status == 201;
    ledger_.answered(response.status, succeeded ? "" : response.text);
    if (succeeded) {
      ledger_.wrote(mark, Ledger::Fate::committed);
      return true;
    }
    const bool refused = response.status >= 400 && response.status < 500;
    ledger_.wrote(mark, refused ? Ledger::Fate::rolled_back : Ledger::Fate::unknown);
  } catch (const std::runtime_error&) {
    // The connection was refused: nothing was sent.
    ledger_.answered(0);
    ledger_.wrote(mark, Ledger::Fate::rolled_back);
  }
  http.reset();
  return false;
}

void Writers::write_by_sql(const Shop& shop, Client& client) {
  std::optional<Session> session;
  while (!stopped_) {
    try {
      if (!session) session.emplace(database_url_);
      while (session && !stopped_) {
        pause(client);
        change_by_sql(*session, shop, client);
      }
    } catch (const std::runtime_error&) {
      // The ledger has the fate of the change in flight. Clients without a pause would take the machine's
      // time from the servers that recover.
      session.reset();
      std::this_thread::sleep_for(reconnect_pause);
    }
  }
}

void Writers::change_by_sql(Session& session, const Shop& shop, Client& client) {
  const auto update = [&](const std::string& mark) {
    return "update orders set notes = '" + mark + "' where business_id = '" + shop.id + "' and guid = '" +
           client.pick(shop.orders) + "';";
  };
  std::vector<std::string> marks{client.next_mark()};
  std::string statements;
  bool commits = true;
  switch (client.below(5)) {
    case 0:
      statements = "insert into orders (business_id, order_number, delivery_city, notes) values ('" +
                   shop.id + "', '" + marks[0] + "', '" + client.city() + "', '" + marks[0] + "')";
      break;
    case 1:
      marks.push_back(client.next_mark());
      statements = update(marks[0]) + update(marks[1]);
      break;
    case 2:
      statements = update(marks[0]);
      commits = false;
      break;
    default:
      statements = update(marks[0]);
  }
  for (const std::string& mark : marks) ledger_.wrote(mark, Ledger::Fate::rolled_back);
  session.exec("begin");
  session.exec(statements);
  if (!commits) {
    session.exec("rollback");
    return;
  }
  for (const std::string& mark : marks) ledger_.wrote(mark, Ledger::Fate::unknown);
  session.exec("commit");
  for (const std::string& mark : marks) ledger_.wrote(mark, Ledger::Fate::committed);
}

}  // namespace waybill::tests
