#include "worker/alerts/alert_message.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

constexpr std::string_view workflow = "00000000-0000-4000-8000-000000000001";
constexpr std::string_view run = "00000000-0000-4000-8000-000000000002";

Alert alert_of(std::string cause) {
  Alert alert;
  alert.cause = std::move(cause);
  alert.subject_id = Guid::parse(workflow).value();
  alert.at = parse_timestamp("2026-11-20T05:45:12.345Z").value();
  alert.business_name = "Acme";
  alert.workflow_name = "Tell the ERP";
  return alert;
}

Alert dead_runs(std::int64_t count) {
  Alert alert = alert_of("run_dead");
  alert.count = count;
  alert.failed_from = parse_timestamp("2026-11-20T05:00:00.001Z").value();
  alert.failed_to = parse_timestamp("2026-11-20T05:45:00.999Z").value();
  alert.run = json::object{{"guid", run},
                           {"code", "HTTP_500"},
                           {"error", "The destination answered 500."},
                           {"entityType", "Order"},
                           {"entityId", workflow},
                           {"status", "dead"},
                           {"destination", "erp.example:443"},
                           {"attempts", 2},
                           {"createdAt", "2026-11-20T05:45:00.999Z"}};
  alert.tries = R"([{"number":1,"statusCode":502,"response":"bad gateway"},
                    {"number":2,"statusCode":500,"response":"no stock"}])";
  return alert;
}

json::object data_of(const Alert& alert, std::string_view public_url = "https://api.example") {
  const auto parsed = std::get<json::value>(parse_json(alert_payload(alert, public_url)));
  return parsed.at("data").as_object();
}

TEST(AlertMessage, HasTheLastRunWithItsLastAnswer) {
  const auto parsed = std::get<json::value>(parse_json(alert_payload(dead_runs(1), "")));
  EXPECT_EQ(parsed.at("type"), "alert");
  EXPECT_EQ(parsed.at("timestamp"), "2026-11-20T05:45:12.345Z");
  const json::object data = data_of(dead_runs(1));
  EXPECT_EQ(data.at("cause"), "run_dead");
  EXPECT_EQ(data.at("workflow"),
            json::value({{"guid", workflow}, {"name", "Tell the ERP"}, {"pausedReason", nullptr}}));
  EXPECT_EQ(data.at("run").at("guid"), json::value(run));
  EXPECT_EQ(data.at("run").at("statusCode"), 500);
  EXPECT_EQ(data.at("response"), "no stock");
  EXPECT_EQ(data.at("count"), 1);
}

TEST(AlertMessage, OneDeadRunIsReplayedByItself) {
  EXPECT_EQ(data_of(dead_runs(1)).at("replay"),
            json::value({{"method", "POST"},
                         {"url", "https://api.example/api/workflows/runs/" + std::string(run) + "/replay"},
                         {"body", nullptr}}));
}

TEST(AlertMessage, SeveralDeadRunsAreReplayedByTheTimeOfTheirEvents) {
  EXPECT_EQ(data_of(dead_runs(3), "").at("replay"), json::value({{"method", "POST"},
                                                                 {"url", "/api/workflows/replay"},
                                                                 {"body",
                                                                  {{"workflowId", workflow},
                                                                   {"from", "2026-11-20T05:00:00.001Z"},
                                                                   {"to", "2026-11-20T05:45:00.999Z"},
                                                                   {"status", "dead"}}}}));
}

TEST(AlertMessage, APausedWorkflowIsResumed) {
  Alert alert = alert_of("workflow_paused");
  alert.paused_reason = "The destination answered 410 Gone.";
  const json::object data = data_of(alert);
  EXPECT_EQ(data.at("workflow").at("pausedReason"), "The destination answered 410 Gone.");
  EXPECT_EQ(
      data.at("replay").at("url"),
      json::value("https://api.example/api/workflows/resume-workflow?workflowId=" + std::string(workflow)));
  EXPECT_TRUE(data.at("run").is_null());
  EXPECT_TRUE(data.at("response").is_null());
}

TEST(AlertMessage, AFailedImportHasNoWorkflowAndTheReasonAsResponse) {
  Alert alert = alert_of("import_failed");
  alert.store = "https://shop.example";
  alert.run = json::object{{"guid", run}, {"error", "The store answered 500."}};
  const json::object data = data_of(alert);
  EXPECT_TRUE(data.at("workflow").is_null());
  EXPECT_EQ(data.at("response"), "The store answered 500.");
  EXPECT_EQ(data.at("replay").at("url"),
            json::value("https://api.example/api/integrations/" + std::string(workflow) + "/sync"));
}

TEST(AlertMessage, ADestinationThatIsDownNeedsNoReplay) {
  EXPECT_TRUE(data_of(alert_of("destination_down")).at("replay").is_null());
}

TEST(AlertMessage, ASilentWorkflowHasWhatIsUsual) {
  Alert alert = alert_of("workflow_silent");
  alert.silence = json::object{{"since", "2026-11-19T05:00:00.000Z"},
                               {"count", 2},
                               {"expected", json::object{{"from", 30}, {"to", 52}}}};
  EXPECT_EQ(data_of(alert).at("silence"), alert.silence);
  EXPECT_TRUE(data_of(alert).at("replay").is_null());
  const auto mail = alert_mail(alert, "");
  EXPECT_EQ(mail.subject, "The workflow \"Tell the ERP\" is silent");
  EXPECT_NE(mail.text.find("Since 2026-11-19T05:00:00.000Z it has fired 2 times; 30 to 52 times are usual by "
                           "the same weekdays and hours of the last 8 weeks."),
            std::string::npos);
  alert.silence = nullptr;
  EXPECT_NE(alert_mail(alert, "").text.find("It fires again as usual."), std::string::npos);
  EXPECT_FALSE(data_of(dead_runs(1)).contains("silence"));
}

TEST(AlertMessage, ASilentWorkflowNamesTheConditionThatFails) {
  Alert alert = alert_of("workflow_silent");
  alert.silence = std::get<json::value>(parse_json(
      R"({"since": "2026-11-19T05:00:00.000Z", "count": 0, "expected": {"from": 30, "to": 52},
          "events": {"entityType": "Order", "count": 12, "expected": {"from": 40, "to": 60}},
          "sources": [{"cause": "import_silent", "guid": "g", "name": "shop.example", "since": "2026-11-19T04:00:00.000Z"}],
          "condition": {"path": "carrier.name", "operator": "eq", "expected": "\"DHL\"", "failed": 12, "evaluated": 12,
                        "before": {"events": 40, "values": [{"value": "\"DHL\"", "count": 38}]},
                        "now": {"events": 12, "values": [{"value": "\"dhl\\nBcc: x\"", "count": 12}]}}})"));
  const std::string text = alert_mail(alert, "").text;
  for (
      const std::string_view part :
      {"In this time 12 events of the type Order came; 40 to 60 came in the same hours of the weeks before.",
       "The import from shop.example is silent since 2026-11-19T04:00:00.000Z.",
       R"(The condition carrier.name eq "DHL" fails more often than before: for 12 of 12 events since then.)",
       R"(Before, in events for which the workflow fired: "DHL" (38 of 40))",
       R"(Now, in events for which it fails: "dhl\nBcc: x" (12 of 12))"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(data_of(alert).at("silence").at("condition").at("path"), "carrier.name");
}

TEST(AlertMessage, ASilentWorkflowSaysThatNoEventCame) {
  Alert alert = alert_of("workflow_silent");
  alert.silence = std::get<json::value>(parse_json(
      R"({"since": "2026-11-19T05:00:00.000Z", "count": 0, "expected": {"from": 30, "to": 52},
          "events": {"entityType": "Order", "count": 0, "expected": {"from": 40, "to": 60}}, "condition": null})"));
  const std::string text = alert_mail(alert, "").text;
  EXPECT_NE(text.find("In this time no events of the type Order came; 40 to 60"), std::string::npos) << text;
  EXPECT_EQ(text.find("condition"), std::string::npos) << text;
}

TEST(AlertMessage, ASilentStoreIsImportedFromAgain) {
  Alert alert = alert_of("import_silent");
  alert.workflow_name.reset();
  alert.store = "https://shop.example";
  alert.silence = json::object{{"since", "2026-11-19T05:00:00.000Z"},
                               {"count", 0},
                               {"expected", json::object{{"from", 30}, {"to", 52}}}};
  const json::object data = data_of(alert);
  EXPECT_TRUE(data.at("workflow").is_null());
  EXPECT_EQ(data.at("integration"), json::value({{"guid", workflow}, {"store", "https://shop.example"}}));
  EXPECT_EQ(data.at("replay").at("url"),
            json::value("https://api.example/api/integrations/" + std::string(workflow) + "/sync"));
  const auto mail = alert_mail(alert, "");
  EXPECT_EQ(mail.subject, "The import from https://shop.example is silent");
  EXPECT_NE(
      mail.text.find("Since 2026-11-19T05:00:00.000Z it has brought 0 new or changed orders, though imports "
                     "run without an error; 30 to 52 are usual"),
      std::string::npos)
      << mail.text;
}

TEST(AlertMessage, SilentScansNameTheCarrier) {
  Alert alert = alert_of("scans_silent");
  alert.carrier_name = "DHL";
  EXPECT_EQ(data_of(alert).at("carrier"), json::value({{"guid", workflow}, {"name", "DHL"}}));
  EXPECT_EQ(alert_mail(alert, "").subject, "The scans of the carrier \"DHL\" are silent");
  alert.subject_id = Guid();
  alert.carrier_name.reset();
  EXPECT_TRUE(data_of(alert).at("carrier").is_null());
  EXPECT_EQ(alert_mail(alert, "").subject, "The scans of parcels without a carrier are silent");
  EXPECT_NE(alert_mail(alert, "").text.find("Scans come again as usual."), std::string::npos);
}

TEST(AlertMessage, UnreadableAttemptsAreLeftOut) {
  for (const std::string tries : {"", "x", "[]", "[1]", "{}"}) {
    Alert alert = dead_runs(1);
    alert.tries = tries;
    EXPECT_TRUE(data_of(alert).at("response").is_null()) << tries;
  }
}

TEST(AlertMessage, AMailSaysTheSameInWords) {
  const net::MailMessage mail = alert_mail(dead_runs(3), "https://api.example");
  EXPECT_EQ(mail.subject, "3 runs of the workflow \"Tell the ERP\" failed");
  for (const std::string_view part :
       {"Code: HTTP_500\n", "Error: The destination answered 500.\n", "Response: no stock\n",
        "Record: Order 00000000-0000-4000-8000-000000000001\n", "Run: 00000000-0000-4000-8000-000000000002\n",
        "Created: 2026-11-20T05:45:00.999Z\n", "Status: dead\n", "Destination: erp.example:443\n",
        "Attempts: 2\n", "Status code: 500\n", "POST https://api.example/api/workflows/replay\n",
        R"("from":"2026-11-20T05:00:00.001Z")", "Acme"})
    EXPECT_NE(mail.text.find(part), std::string::npos) << part << "\n" << mail.text;
}

TEST(AlertMessage, AMailOfAnImportHasItsCounts) {
  Alert alert = alert_of("import_failed");
  alert.store = "https://shop.example";
  alert.run =
      json::object{{"guid", run}, {"imported", 7}, {"updated", 0}, {"failed", 2}, {"finishedAt", nullptr}};
  const std::string text = alert_mail(alert, "").text;
  for (const std::string_view part : {"Imported: 7\n", "Updated: 0\n", "Failed: 2\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("Finished"), std::string::npos) << text;
}

TEST(AlertMessage, TheReasonOfAPauseEndsWithOneFullStop) {
  Alert alert = alert_of("workflow_paused");
  for (const std::string reason :
       {"The destination answered 410 Gone.", "The destination answered 410 Gone"}) {
    alert.paused_reason = reason;
    const std::string text = alert_mail(alert, "").text;
    EXPECT_NE(text.find("The reason: The destination answered 410 Gone.\n"), std::string::npos) << text;
  }
}

TEST(AlertMessage, EachCauseHasItsSubject) {
  EXPECT_EQ(alert_mail(dead_runs(1), "").subject, "A run of the workflow \"Tell the ERP\" failed");
  EXPECT_EQ(alert_mail(alert_of("workflow_paused"), "").subject, "The workflow \"Tell the ERP\" was paused");
  Alert import = alert_of("import_failed");
  import.store = "https://shop.example";
  EXPECT_EQ(alert_mail(import, "").subject, "An import from https://shop.example failed");
  Alert down = alert_of("destination_down");
  down.run = json::object{{"destination", "erp.example:443"}};
  EXPECT_EQ(alert_mail(down, "").subject,
            "The destination erp.example:443 of the workflow \"Tell the ERP\" is down");
}

}  // namespace
}  // namespace waybill::worker
