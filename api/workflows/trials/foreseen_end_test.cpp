#include "api/workflows/trials/foreseen_end.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

constexpr const char* shipped = R"({"guid": "a", "status": "shipped", "shipments": [
    {"guid": "s1", "status": "cancelled"}, {"guid": "s2", "status": "in_transit"}]})";

std::string code(const char* type, std::string_view request, std::string_view entity,
                 const NotificationSwitches& switches = {}) {
  const auto end = foreseen_end(*actions::find_action(type), json::parse(request).as_object(),
                                json::parse(entity).as_object(), switches);
  return end ? end->code : "";
}

std::string code_of_move(std::string_view ids, std::string_view status, std::string_view entity,
                         std::string_view type = "Order", std::string_view all = "null") {
  return code("update_status",
              R"({"entityType": ")" + std::string(type) + R"(", "entityIds": )" + std::string(ids) +
                  R"(, "status": ")" + std::string(status) + R"(", "whenAllShipments": )" + std::string(all) +
                  "}",
              entity);
}

TEST(ForeseenEnd, AStatusMayBeForbiddenForTheRecordOrItsShipments) {
  EXPECT_EQ(code_of_move(R"(["a"])", "draft", shipped), "FORBIDDEN_MOVE");
  EXPECT_EQ(code_of_move(R"(["a"])", "delivered", shipped), "");
  EXPECT_EQ(code_of_move(R"(["a"])", "shipped", shipped), "") << "it stays";
  EXPECT_EQ(code_of_move(R"(["s1", "s2"])", "delivered", shipped, "Shipment"), "FORBIDDEN_MOVE");
  EXPECT_EQ(code_of_move(R"(["s2"])", "delivered", shipped, "Shipment"), "");
  EXPECT_EQ(code_of_move("[]", "delivered", shipped, "Shipment"), "NO_RECORD");
  EXPECT_EQ(code_of_move(R"(["o"])", "draft", R"({"guid": "s", "status": "created", "orderId": "o"})"), "")
      << "the status of a shipment's order is not at hand";
}

TEST(ForeseenEnd, AnOrderMayWaitForItsLiveShipments) {
  EXPECT_EQ(code_of_move(R"(["a"])", "delivered", shipped, "Order", R"("delivered")"), "CONDITION");
  EXPECT_EQ(code_of_move(R"(["a"])", "delivered", shipped, "Order", R"("in_transit")"), "");
  EXPECT_EQ(code_of_move(R"(["a"])", "delivered", R"({"guid": "a", "status": "shipped", "shipments": []})",
                         "Order", R"("delivered")"),
            "CONDITION");
}

TEST(ForeseenEnd, AnOrderMayBeLockedOrHaveAShipment) {
  EXPECT_EQ(code("create_shipment", "{}", shipped), "EXISTS");
  EXPECT_EQ(code("create_shipment", "{}", R"({"status": "cancelled", "shipments": []})"), "LOCKED");
  EXPECT_EQ(code("create_shipment", "{}", R"({"status": "ready", "shipments": [{"status": "returned"}]})"),
            "");
  EXPECT_EQ(code("update_record", R"({"entityType": "Order"})", shipped), "LOCKED");
  EXPECT_EQ(code("update_record", R"({"entityType": "Order"})", R"({"status": "ready"})"), "");
  EXPECT_EQ(code("update_record", R"({"entityType": "Shipment"})", R"({"status": "delivered"})"), "");
}

TEST(ForeseenEnd, ANotificationMayBeSwitchedOffOrReachNobody) {
  EXPECT_EQ(code("send_email", R"({"to": []})", "{}"), "NO_RECIPIENT");
  EXPECT_EQ(code("send_email", R"({"to": ["a@example.com"]})", "{}"), "");
  EXPECT_EQ(code("send_email", R"({"to": []})", "{}", {.email = false}), "NOTIFICATIONS_OFF");
  EXPECT_EQ(code("send_push", "{}", "{}", {.push = false}), "NOTIFICATIONS_OFF");
  EXPECT_EQ(code("send_push", "{}", "{}", {.email = false}), "");
  EXPECT_EQ(code("webhook", "{}", "{}", {.email = false, .push = false}), "");
}

}  // namespace
}  // namespace waybill::api
