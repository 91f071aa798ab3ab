#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/network.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

// A public address, which the test's private network assigns to this machine.
constexpr const char* public_address = "11.22.33.44";
constexpr int port = 8099;

Waybill::Options guarded() {
  Waybill::Options options;
  options.allow_private_destinations = false;
  return options;
}

struct GuardedWorld : World {
  GuardedWorld() : World(guarded()) {}
};

class DestinationGuard : public testing::Test {
 protected:
  Response configure(Tenant& tenant, std::string_view recipient) {
    return tenant.http.post("/api/workflows/configure",
                            {{"name", "guarded"},
                             {"entityType", "Order"},
                             {"triggerId", trigger_guid("order_created")},
                             {"action", {{"type", "webhook"}, {"recipient", recipient}}}});
  }
  GuardedWorld& world = shared<GuardedWorld>();
};

TEST_F(DestinationGuard, RefusesUnsafeUrlsAtConfigure) {
  Tenant tenant(world.waybill, "configure");
  for (const char* refused : {
           "http://127.0.0.1/",
           "http://127.1/",
           "http://2130706433/",
           "http://0x7f000001/",
           "http://017700000001/",
           "http://0.0.0.0/",
           "http://10.1.2.3/",
           "http://172.16.0.1/",
           "http://192.168.1.1/",
           "http://169.254.169.254/latest/meta-data/",
           "http://100.64.0.1/",
           "http://224.0.0.1/",
           "http://255.255.255.255/",
           "http://[::1]/",
           "http://[::]/",
           "http://[::ffff:127.0.0.1]/",
           "http://[64:ff9b::7f00:1]/",
           "http://[fe80::1]/",
           "http://[fc00::1]/",
           "http://[ff02::1]/",
           "ftp://example.com/",
           "file:///etc/passwd",
           "gopher://example.com/",
           "http://user:password@example.com/",
           "http://user@example.com/",
           "http://example.com:25/",
           "http://example.com:22/",
           "http://example.com:1023/",
           "http://example.com:0/",
           "http://example.com:65536/",
           "http:///path",
           "example.com",
           "",
       }) {
    const Response response = configure(tenant, refused);
    EXPECT_EQ(response.status, 400) << refused;
    EXPECT_TRUE(response.details().contains("action.recipient")) << refused << ": " << response.text;
  }
  for (const char* accepted : {
           "https://example.com/hook",
           "http://example.com:80/",
           "http://example.com:443/",
           "http://example.com:1024/",
           "https://8.8.8.8/",
           "https://[2606:4700:4700::1111]/",
       }) {
    EXPECT_EQ(configure(tenant, accepted).status, 201) << accepted;
  }
}

TEST_F(DestinationGuard, RefusesAHostNameOfALoopbackAddressAtConnect) {
  Receiver receiver;
  Tenant tenant(world.waybill, "connect");
  const Response made = configure(tenant, "http://localhost:" + std::to_string(receiver.port()) + "/hook");
  // The name may also be refused at once; the test only requires that no connection is made.
  if (made.status == 201) {
    tenant.insert_order();
    const json::object run = tenant.run_with_status(text_at(made.body, "data.guid"), "dead");
    EXPECT_EQ(at(run, "tries.0.statusCode"), nullptr);
    EXPECT_NE(text_at(run, "tries.0.error"), "");
  }
  EXPECT_EQ(receiver.connections(), 0U);
}

TEST_F(DestinationGuard, ChecksTheAddressOfEachConnectionInsteadOfTheHostName) {
  if (!PrivateNetwork::available()) GTEST_SKIP() << "needs root and network namespaces";
  PrivateNetwork network({public_address});
  network.set_hosts(std::string("127.0.0.1 localhost\n") + public_address + " hook.example\n");
  std::optional<Receiver> outside;
  std::optional<Receiver> inside;
  network.inside([&] {
    outside.emplace(public_address, port);
    inside.emplace("127.0.0.1", port);
  });
  TestDatabase database;
  Waybill::Options options = guarded();
  options.prefix = network.enter();
  const Waybill waybill(database.url(), options);
  network.inside([&] {
    Tenant tenant(waybill, "rebound");
    const Response made = configure(tenant, "http://hook.example:" + std::to_string(port) + "/hook");
    ASSERT_EQ(made.status, 201) << made.text;
    // The first response closes the connection, so the next attempt must look the name up and reconnect.
    outside->answer_next("/hook", Reply::with_status(503, {{"Connection", "close"}}));
    outside->answer_next("/hook", Reply::with_status(200, {{"Connection", "close"}}));
    tenant.insert_order();
    EXPECT_EQ(outside->wait_for("/hook", 2).size(), 2U);
    tenant.run_with_status(text_at(made.body, "data.guid"), "succeeded");

    network.set_hosts("127.0.0.1 localhost hook.example\n");
    tenant.insert_order();
    // Refused, or sent to the address that was looked up before: both are safe.
    EXPECT_TRUE(
        eventually([&] { return outside->count("/hook") > 2 || !tenant.runs("status=dead").empty(); }));
    EXPECT_EQ(inside->connections(), 0U);
  });
}

}  // namespace
}  // namespace waybill::tests
