// A session that locks a table stops the requests that need it, and no others.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// The locks are held until the end. A request that waits for one takes seconds.
constexpr auto soon = 700ms;

/// An API with one io thread, so that all requests share its connections.
class LockedTable : public testing::Test {
 protected:
  static Waybill::Options with_one_thread() {
    Waybill::Options options;
    options.command = "api";
    options.arguments = {"--io-threads", "1"};
    return options;
  }

  void lock(const std::string& table) {
    holder.exec("begin; lock table " + table + " in access exclusive mode");
  }

  /// Sends requests from several clients until the object ends. All answers must be 503.
  class Load {
   public:
    template <typename Send>
    Load(const Http& client, Send send) {
      for (int i = 0; i < 8; ++i) {
        clients_.emplace_back([this, send, http = client.with_token(client.token())]() mutable {
          while (!is_done_) {
            const Response answer = send(http);
            if (answer.status != 503 || answer.header("Retry-After").empty()) others_ = answer.status;
            ++answers_;
          }
        });
      }
    }
    ~Load() { stop(); }
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    void stop() {
      is_done_ = true;
      clients_.clear();
    }
    int answers() const { return answers_; }
    /// The status of an answer that was not 503 with a time to wait; 0 if there is none.
    int others() const { return others_; }

   private:
    std::atomic<bool> is_done_ = false;
    std::atomic<int> answers_ = 0;
    std::atomic<int> others_ = 0;
    std::vector<std::jthread> clients_;
  };

  /// Sends a request again and again while the load runs. Returns the longest time of an answer.
  template <typename Send>
  static steady_clock::duration slowest(const Load& load, Send send) {
    steady_clock::duration slowest{};
    for (int i = 0; i < 100 || load.answers() < 40; ++i) {
      const auto begun = steady_clock::now();
      const Response answer = send();
      slowest = std::max(slowest, steady_clock::now() - begun);
      EXPECT_LT(answer.status, 300) << answer.text;
      if (answer.status >= 300) break;
    }
    return slowest;
  }

  TestDatabase database;
  Waybill waybill{database.url(), with_one_thread()};
  Tenant loud{waybill, "loud"};
  Tenant quiet{waybill, "quiet"};
  Session holder = database.connect();
};

TEST_F(LockedTable, StopsItsReadsAndNoOthers) {
  loud.create_order();
  quiet.create_order();
  lock("products");
  Load load(loud.http, [](Http& http) { return http.get("/api/v1/Products"); });
  EXPECT_LT(slowest(load, [&] { return quiet.http.get("/api/v1/Orders"); }), soon);
  EXPECT_LT(slowest(load, [&] { return quiet.http.get("/api/v1/Orders?$search=lamp"); }), soon);
  EXPECT_LT(slowest(load, [&] { return loud.http.get("/api/drivers"); }), soon) << "of the same business";
  load.stop();
  EXPECT_EQ(load.others(), 0);
  holder.exec("rollback");
  EXPECT_TRUE(eventually([&] { return loud.http.get("/api/v1/Products").status == 200; }, 2s));
}

TEST_F(LockedTable, StopsWritesThatReadItAndNoOthers) {
  const json::object preset{{"name", "Box"}, {"length", 1}, {"width", 1}, {"height", 1}};
  const std::string customer = loud.sql.value(
      "insert into customers (business_id, name) values ($1, 'Ada') returning guid", {loud.id});
  json::object order = order_body({{"customerId", customer}});
  order.erase("customer");
  ASSERT_EQ(loud.http.post("/api/v1/Orders", order).status, 201);
  const std::string changed = "/api/v1/dimension-presets/" +
                              text_at(quiet.http.post("/api/v1/dimension-presets", preset).data(), "guid");
  lock("customers");
  Load load(loud.http, [order](Http& http) { return http.post("/api/v1/Orders", order); });
  EXPECT_LT(slowest(load, [&] { return quiet.http.put(changed, preset); }), soon);
  load.stop();
  EXPECT_EQ(load.others(), 0);
}

TEST_F(LockedTable, KeepsNoThreadFromTheAnalysisOfOthers) {
  const std::string vehicle = quiet.sql.value(
      "insert into vehicles (business_id, name, license_plate, type) values ($1, 'v', 'v', 'van') returning "
      "guid",
      {quiet.id});
  const std::string order = loud.create_order();
  lock("events");
  Load load(loud.http, [order](Http& http) { return http.get("/api/workflows/explain?entityId=" + order); });
  EXPECT_LT(slowest(load, [&] { return quiet.http.get("/api/vehicle/travel-history/" + vehicle); }), soon);
  load.stop();
  EXPECT_EQ(load.others(), 0);
}

}  // namespace
}  // namespace waybill::tests
