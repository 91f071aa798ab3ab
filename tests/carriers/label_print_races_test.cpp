// POST /api/v1/labels while merges hang, and while the labels are voided or erased.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <future>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "tests/carriers/purchases_fixture.hpp"
#include "tests/documents/label_files.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Requests during a merge that does not end, and those of one business, which are served one at a time.
class PrintRaces : public PurchaseCalls {
 protected:
  static Response print(Http& http, const std::vector<std::string>& shipments) {
    json::array guids;
    for (const auto& shipment : shipments) guids.emplace_back(shipment);
    http.set_deadline(std::chrono::seconds(60));
    return http.post("/api/v1/labels", json::object{{"shipmentIds", std::move(guids)}});
  }
  /// A shipment of a business with a bought label.
  static std::string bought(Tenant& owner, const std::string& bytes, const std::string& format = "pdf") {
    const std::string parcel = owner.sql.value(
        "insert into shipments (business_id, tracking_number, packages, status, label_status) "
        "values ($1, 'WB-' || gen_random_uuid(), '[{\"weight\": 2}]', 'created', 'bought') returning guid",
        {owner.id});
    owner.sql.rows(
        "with bought as (insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, "
        "status, "
        "connector, format, gateway_id, buy_begun_at, bought_at, has_label) "
        "values ($1, gen_random_uuid(), $2, 1, gen_random_uuid(), 0, 'bought', 'easypost', $3, 'shp_1', "
        "now(), now(), "
        "true) returning guid) insert into purchase_labels (business_id, purchase_id, shipment_id, format, "
        "bytes) "
        "select $1, guid, $2, $3, decode($4, 'hex') from bought",
        {owner.id, parcel, format,
         hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()))});
    return parcel;
  }
  std::string bought(int width) { return bought(tenant, pdf_of_pages({width})); }

  /// A merge of two labels of a business, whose process is stopped until `go_on`.
  class StoppedMerge {
   public:
    StoppedMerge(Waybill& waybill, Tenant& owner) : http_(owner.http.with_token(owner.http.token())) {
      // Their pixels take a while, so that the process that reads them can be stopped.
      const auto slow = png_of(3000, 3000);
      const std::vector<std::string> shipments{bought(owner, slow, "png"), bought(owner, slow, "png")};
      const pid_t api = waybill.process().pid();
      const auto before = process_tree(api);
      printed_ = std::async(std::launch::async, [this, shipments] { return print(http_, shipments); });
      EXPECT_TRUE(eventually([&] {
        for (const pid_t each : process_tree(api)) {
          if (std::ranges::find(before, each) == before.end() && kill(each, SIGSTOP) == 0) merging_ = each;
        }
        return merging_ != 0;
      }));
    }
    ~StoppedMerge() { go_on(); }
    StoppedMerge(const StoppedMerge&) = delete;
    StoppedMerge& operator=(const StoppedMerge&) = delete;

    bool is_stopped() const { return merging_ != 0; }
    void go_on() {
      if (merging_ != 0) kill(std::exchange(merging_, 0), SIGCONT);
    }
    Response take() { return printed_.get(); }

   private:
    Http http_;
    pid_t merging_ = 0;
    std::future<Response> printed_;
  };

  /// Prints, and calls `meet` when the labels have been found, but not loaded.
  Response print_and_meet(const std::vector<std::string>& shipments, const std::function<void()>& meet) {
    StoppedMerge first(world.waybill, tenant);
    const auto begun = tenant.sql.value("select clock_timestamp()");
    auto printed =
        std::async(std::launch::async, [this, &shipments] { return print(tenant.http, shipments); });
    EXPECT_TRUE(eventually([&] {
      return tenant.sql.number(
                 "select count(*) from pg_stat_activity where datname = current_database() and state = "
                 "'idle' and "
                 "query like '%as is_erased%' and query_start > $1::timestamptz and pid <> pg_backend_pid()",
                 {begun}) > 0;
    }));
    meet();
    first.go_on();
    EXPECT_EQ(first.take().status, 200);
    return printed.get();
  }
};

TEST_F(PrintRaces, LabelsThatAreVoidedOrErasedBeforeTheyAreLoadedAreNamed) {
  const std::string kept = bought(100), voided = bought(110), erased = bought(120);
  const std::string customer = tenant.sql.value(
      "insert into customers (business_id, name, email) values ($1, 'Ada', 'ada@example.com') returning guid",
      {tenant.id});
  tenant.sql.rows("update shipments set customer_id = $2 where guid = $1", {erased, customer});
  Http http = tenant.http.with_token(tenant.http.token());
  const Response printed = print_and_meet({kept, voided, erased}, [&] {
    EXPECT_EQ(http.post(path_of(voided, "/void"), json::object()).status, 202);
    EXPECT_EQ(http.post("/api/v1/Customers/" + customer + "/erase").status, 200);
  });
  EXPECT_EQ(printed.status, 409) << printed.text.substr(0, 300);
  EXPECT_THAT(text_at(printed.details(), "shipmentIds[1]"), HasSubstr("voiding"));
  EXPECT_THAT(text_at(printed.details(), "shipmentIds[2]"), HasSubstr("erased"));
  EXPECT_EQ(printed.details().size(), 2U) << printed.text;
}

TEST_F(PrintRaces, LabelsThatStayArePrintedAfterTheWait) {
  const std::string first = bought(100), second = bought(110);
  const Response printed = print_and_meet({second, first}, [] {});
  ASSERT_EQ(printed.status, 200) << printed.text.substr(0, 300);
  EXPECT_THAT(page_widths(printed.text), ElementsAre(110, 100));
}

TEST_F(PrintRaces, AMergeThatHangsDoesNotKeepTheProcessFromItsEnd) {
  ApiWorld ending;
  Tenant owner(ending.waybill, "Acme");
  const StoppedMerge merge(ending.waybill, owner);
  ASSERT_TRUE(merge.is_stopped());
  EXPECT_EQ(ending.waybill.stop(std::chrono::seconds(10)), 0);
}

TEST_F(PrintRaces, TwoBusinessesWhoseMergesHangDelayNoOther) {
  Tenant loud(world.waybill, tenant.name + " loud"), louder(world.waybill, tenant.name + " louder");
  const StoppedMerge first(world.waybill, loud), second(world.waybill, louder);
  ASSERT_TRUE(first.is_stopped() && second.is_stopped()) << "both have a process";
  const Response printed = print(tenant.http, {bought(100)});
  ASSERT_EQ(printed.status, 200) << printed.text.substr(0, 300);
  EXPECT_THAT(page_widths(printed.text), ElementsAre(100));
}

}  // namespace
}  // namespace waybill::tests
