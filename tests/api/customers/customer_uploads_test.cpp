// Customers from CSV files.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view header = "name,email,phone,company,street,city,state,postalCode,country\r\n";
constexpr std::string_view upload_path = "/api/v1/Customers/upload";
const Headers form_headers{{"Content-Type", "multipart/form-data; boundary=\"the end\""}};

std::string part(std::string_view name, std::string_view content) {
  return "--the end\r\nContent-Disposition: form-data; name=\"" + std::string(name) +
         "\"; filename=\"c.csv\"\r\nContent-Type: text/csv\r\n\r\n" + std::string(content) + "\r\n";
}

std::string form_of(std::string_view csv) { return part("file", csv) + "--the end--\r\n"; }

Response upload_to(Http& client, std::string_view csv) {
  return client.request_text("POST", upload_path, form_of(csv), form_headers);
}

std::string confirm_path(std::string_view guid) {
  return "/api/v1/Customers/confirm-upload?guid=" + std::string(guid);
}

/// A row without phone, company and address.
json::object preview_row(int line, std::string_view name, const json::value& email, std::string_view action,
                         const json::value& reference = nullptr, const json::value& tags = nullptr) {
  return {{"line", line},
          {"name", name},
          {"email", email},
          {"phone", nullptr},
          {"company", nullptr},
          {"address", nullptr},
          {"externalReference", reference},
          {"tags", tags},
          {"action", action}};
}

class UploadsTest : public ApiTest {
 protected:
  Response upload(std::string_view csv) { return upload_to(http, csv); }

  std::string uploaded(std::string_view csv) {
    const auto response = upload(csv);
    EXPECT_EQ(response.status, 201) << response.text;
    return response.data().is_string() ? std::string(response.data().as_string()) : "";
  }

  json::value preview(std::string_view guid) {
    const auto response = http.get(std::string(upload_path) + "/" + std::string(guid));
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }

  std::int64_t customers() {
    return tenant.sql.number("select count(*) from customers where business_id = $1 and deleted_at is null",
                             {tenant.id});
  }

  json::value customer(std::string_view email) {
    const auto guid =
        tenant.sql.value("select guid from customers where business_id = $1 and lower(email) = lower($2)",
                         {tenant.id, std::string(email)});
    return http.get("/api/v1/Customers/" + guid).data();
  }
};

TEST_F(UploadsTest, AFileIsUploadedPreviewedAndConfirmed) {
  ASSERT_EQ(http.post("/api/v1/Customers",
                      {{"name", "Old"}, {"email", "BOB@example.com"}, {"phone", "1"}, {"company", "Old Ltd"}})
                .status,
            201);
  const auto response = upload(std::string(header) +
                               "Ada,ada@example.com,+351,Engines,\"Rua 1, 2\",Lisbon,LX,1100,PT\r\n"
                               "\"Bob \"\"B\"\"\",bob@example.com,2,,,Porto,,,\r\n"
                               "Nobody,,,,,,,,\r\n");
  ASSERT_EQ(response.status, 201) << response.text;
  const std::string guid(response.data().as_string());
  EXPECT_EQ(response.header("Location"), std::string(upload_path) + "/" + guid);
  EXPECT_EQ(customers(), 1) << "nothing changes before the confirmation";

  auto ada_row = preview_row(2, "Ada", "ada@example.com", "create");
  ada_row["phone"] = "+351";
  ada_row["company"] = "Engines";
  ada_row["address"] = {
      {"street", "Rua 1, 2"}, {"city", "Lisbon"}, {"state", "LX"}, {"postalCode", "1100"}, {"country", "PT"}};
  auto bob_row = preview_row(3, "Bob \"B\"", "bob@example.com", "update");
  bob_row["phone"] = "2";
  bob_row["address"] = {{"street", nullptr},
                        {"city", "Porto"},
                        {"state", nullptr},
                        {"postalCode", nullptr},
                        {"country", nullptr}};
  EXPECT_EQ(preview(guid),
            json::value({{"total", 3},
                         {"create", 2},
                         {"update", 1},
                         {"rows", {ada_row, bob_row, preview_row(4, "Nobody", nullptr, "create")}}}));

  const auto confirmed = http.get(confirm_path(guid));
  ASSERT_EQ(confirmed.status, 200) << confirmed.text;
  EXPECT_EQ(confirmed.text, R"({"success":true})");
  EXPECT_EQ(confirmed.header("Cache-Control"), "no-store");
  EXPECT_EQ(customers(), 3);
  EXPECT_EQ(at(http.get("/api/v1/Customers").body, "totalCount"), 3);
  const auto ada = customer("ada@example.com");
  EXPECT_EQ(text_at(ada, "name"), "Ada");
  EXPECT_EQ(text_at(ada, "address.street"), "Rua 1, 2");
  EXPECT_EQ(text_at(ada, "address.postalCode"), "1100");
  const auto bob = customer("bob@example.com");
  EXPECT_EQ(text_at(bob, "name"), "Bob \"B\"");
  EXPECT_EQ(text_at(bob, "phone"), "2");
  EXPECT_EQ(text_at(bob, "company"), "Old Ltd") << "empty fields of the row change nothing";
  EXPECT_EQ(events_of(text_at(bob, "guid")), 2) << "created and updated";

  expect_refused(http.get(confirm_path(guid)), 409, "CONFLICT");
  expect_refused(http.get(std::string(upload_path) + "/" + guid), 409, "CONFLICT");
}

TEST_F(UploadsTest, ReferencesAndTagsAreOptionalColumns) {
  ASSERT_EQ(http.post("/api/v1/Customers", {{"name", "Bob"},
                                            {"email", "bob@example.com"},
                                            {"externalReference", "OLD"},
                                            {"tags", json::array{"old"}}})
                .status,
            201);
  const auto guid = uploaded(
      "name,email,externalReference,tags\nAda,ada@example.com,CRM-1,Vip; new;VIP\nBob,bob@example.com,,\n");
  EXPECT_EQ(at(preview(guid), "rows"),
            json::value(json::array{
                preview_row(2, "Ada", "ada@example.com", "create", "CRM-1", json::array{"Vip", "new"}),
                preview_row(3, "Bob", "bob@example.com", "update")}));
  ASSERT_EQ(http.get(confirm_path(guid)).status, 200);
  EXPECT_EQ(text_at(customer("ada@example.com"), "externalReference"), "CRM-1");
  EXPECT_EQ(at(customer("ada@example.com"), "tags"), json::value(json::array{"Vip", "new"}));
  EXPECT_EQ(text_at(customer("bob@example.com"), "externalReference"), "OLD")
      << "an empty field changes nothing";
  EXPECT_EQ(at(customer("bob@example.com"), "tags"), json::value(json::array{"old"}));
  expect_invalid(upload("name,email,tags\nAda,," + std::string(51, 't') + "\n"), {"line 2"});
}

TEST_F(UploadsTest, ConfirmingWorksWithPostButNotWithHead) {
  const auto guid = uploaded("name,email\nAda,ada@example.com\n");
  auto head = http.raw();
  head.send("HEAD " + confirm_path(guid) + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + http.token() +
            "\r\n\r\n");
  EXPECT_EQ(head.read_response(default_deadline, true).status, 405);
  EXPECT_EQ(customers(), 0);
  EXPECT_EQ(http.post(confirm_path(guid)).status, 200);
  EXPECT_EQ(customers(), 1);
}

TEST_F(UploadsTest, ARowThatChangesNothingIsNoEvent) {
  const std::string csv = "name,email,phone\nAda,ada@example.com,1\n";
  EXPECT_EQ(http.get(confirm_path(uploaded(csv))).status, 200);
  const auto ada = text_at(customer("ada@example.com"), "guid");
  EXPECT_EQ(events_of(ada), 1);
  EXPECT_EQ(http.get(confirm_path(uploaded(csv))).status, 200);
  EXPECT_EQ(events_of(ada), 1);
}

TEST_F(UploadsTest, AByteOrderMarkAndAnyOrderOfColumnsAreAccepted) {
  EXPECT_EQ(http.get(confirm_path(uploaded("\xef\xbb\xbf"
                                           "Email,CITY,name\nada@example.com,Lisbon,\xc3\x81"
                                           "da")))
                .status,
            200);
  EXPECT_EQ(text_at(customer("ada@example.com"), "name"),
            "\xc3\x81"
            "da");
  EXPECT_EQ(text_at(customer("ada@example.com"), "address.city"), "Lisbon");
}

TEST_F(UploadsTest, BlanksAroundFieldsAndRowsOfCommasAreIgnored) {
  EXPECT_EQ(http.get(confirm_path(
                         uploaded("name, email ,city\r\n,,\r\nAda,\u00a0 ada@example.com\u200b,\u3000Lisbon "
                                  "\r\n , ,\r\n,,\r\n\r\n")))
                .status,
            200);
  EXPECT_EQ(text_at(customer("ada@example.com"), "address.city"), "Lisbon");
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 1);
}

TEST_F(UploadsTest, BadRowsAreReportedByLineAndRefuseTheFile) {
  const auto response = upload(std::string(header) +
                               "Ada,ada@example.com,,,,,,,\r\n"            // 2
                               ",eve@example.com,,,,,,,\r\n"               // 3
                               "Bob,bob,,,,,,,\r\n"                        // 4
                               "Cy,cy@example.com\r\n"                     // 5
                               "Dan,dan@example.com,\"a\r\nb\",,,,,,\r\n"  // 6 and 7
                               "Eve,\xff,,,,,,,\r\n"                       // 8
                               "Ada,ADA@Example.com,,,,,,,\r\n"            // 9
                               "X\"y,x@example.com,,,,,,,\r\n");           // 10
  expect_invalid(response, {"line 3", "line 4", "line 5", "line 8", "line 9", "line 10"});
  EXPECT_EQ(response.details().at("line 9"), "email is already on line 2");
  EXPECT_EQ(tenant.sql.number("select count(*) from customer_uploads where business_id = $1", {tenant.id}),
            0);
}

TEST_F(UploadsTest, TheFirstHundredBadRowsAreReported) {
  std::string csv = "name,email\n";
  for (int i = 0; i < 60; ++i) csv += "Ada,ada@example.com\n,ada\n";
  for (int i = 0; i < 200; ++i) csv += ",bad\n";
  const auto details = upload(csv).details();
  EXPECT_EQ(details.size(), 100U);
  EXPECT_TRUE(details.contains("line 3"));
  EXPECT_TRUE(details.contains("line 4")) << "the second row with the same address";
  EXPECT_TRUE(details.contains("line 102"));
  EXPECT_FALSE(details.contains("line 103"));
}

TEST_F(UploadsTest, AFileWithABadHeaderOrWithoutRowsIsRefused) {
  expect_invalid(upload("name,phone\nAda,1\n"), {"line 1"});
  expect_invalid(upload("email\nada@example.com\n"), {"line 1"});
  expect_invalid(upload("name,email,planet\nAda,,Earth\n"), {"line 1"});
  expect_invalid(upload("name,email,name\nAda,,Ada\n"), {"line 1"});
  expect_invalid(upload(header), {"file"});
  expect_invalid(upload(""), {"file"});
  expect_invalid(upload(std::string("\xff\xfe"
                                    "n\0a\0",
                                    6)),
                 {"line 1"});
}

TEST_F(UploadsTest, TheFormMustHaveExactlyOneFile) {
  const auto send = [&](std::string_view body) {
    return http.request_text("POST", upload_path, body, form_headers);
  };
  const auto file = part("file", "name,email\nAda,\n");
  expect_invalid(send("--the end--"), {"file"});
  expect_invalid(send(part("files", "x") + "--the end--"), {"file", "files"});
  expect_invalid(send(file + file + "--the end--"), {"file"});
  expect_invalid(send(file + part("more", "x") + "--the end--"), {"more"});
  expect_invalid(send(file), {"body"});
  expect_invalid(send("x"), {"body"});
  expect_refused(http.request_text("POST", upload_path, "name,email\nAda,\n", {{"Content-Type", "text/csv"}}),
                 415, "UNSUPPORTED_MEDIA_TYPE");
  expect_refused(http.request_text("POST", upload_path, "x", {{"Content-Type", "multipart/form-data"}}), 415,
                 "UNSUPPORTED_MEDIA_TYPE");
  EXPECT_EQ(http.post(upload_path).status, 400);
}

TEST_F(UploadsTest, AFileHasAtMost10MiB) {
  constexpr std::size_t limit = 10UL * 1024 * 1024;
  const auto empty = form_of("name,email\n").size();
  const auto csv = [&](std::size_t size) { return "name,email\n" + std::string(size, '\n'); };
  expect_invalid(upload(csv(limit - empty)), {"file"});
  expect_refused(upload(csv(limit - empty + 1)), 413, "PAYLOAD_TOO_LARGE");
}

TEST_F(UploadsTest, LargeFieldsAndManyRowsWithoutAValueAreRefused) {
  std::string stops;
  while (stops.size() < 9UL << 20) stops += "\u3002";
  const auto large = upload("name,email\nA,\nA," + stops + "\n");
  expect_invalid(large, {"line 3"});
  EXPECT_EQ(large.details().at("line 3"), "email must have at most 16384 bytes");
  std::string blanks;
  for (int i = 0; i < 4'000'000; ++i) blanks += " \n";
  expect_invalid(upload("name,email\nA,\n" + blanks), {"file"});
  EXPECT_EQ(at(preview(uploaded("name,email\nA,\n" + blanks.substr(0, 200'000))), "total"), 1);
}

TEST_F(UploadsTest, AFileHasAtMost100000Rows) {
  std::string csv = "name,email\n";
  for (int i = 0; i < 100'000; ++i) csv += "A,\n";
  const auto seen = preview(uploaded(csv));
  EXPECT_EQ(at(seen, "total"), 100'000);
  EXPECT_EQ(seen.at("rows").as_array().size(), 100U) << "the first hundred";
  expect_invalid(upload(csv + "A,\n"), {"file"});
}

TEST_F(UploadsTest, UnconfirmedUploadsExpireAfterADay) {
  const auto age = [&](std::string_view guid, std::string_view interval) {
    tenant.sql.rows("update customer_uploads set created_at = now() - $1::interval where guid = $2",
                    {std::string(interval), std::string(guid)});
  };
  const auto guid = uploaded("name,email\nAda,\n");
  age(guid, "23 hours 59 minutes");
  EXPECT_EQ(at(preview(guid), "total"), 1);
  age(guid, "24 hours 1 second");
  expect_refused(http.get(std::string(upload_path) + "/" + guid), 404, "NOT_FOUND");
  expect_refused(http.get(confirm_path(guid)), 404, "NOT_FOUND");
  EXPECT_EQ(customers(), 0);
}

TEST_F(UploadsTest, TheOldestOfTwentyUnconfirmedUploadsGivesWayToANewOne) {
  const std::string file = "name,email\nAda,\n";
  std::vector<std::string> uploads;
  for (int i = 0; i < 21; ++i) uploads.push_back(uploaded(file));
  EXPECT_EQ(http.get(confirm_path(uploads[0])).status, 404);
  expect_refused(http.get(std::string(upload_path) + "/" + uploads[0]), 404, "NOT_FOUND");
  EXPECT_EQ(
      tenant.sql.number("select count(*) from customer_upload_parts where business_id = $1", {tenant.id}),
      20);
  EXPECT_EQ(http.get(confirm_path(uploads[1])).status, 200);
  uploaded(file);
  EXPECT_EQ(at(preview(uploads[2]), "total"), 1) << "a confirmed upload does not count";
  expect_invalid(upload("name,email\n,bad\n"), {"line 2"});
  EXPECT_EQ(at(preview(uploads[2]), "total"), 1) << "a refused file takes no place";
  uploaded(file);
  expect_refused(http.get(std::string(upload_path) + "/" + uploads[2]), 404, "NOT_FOUND");
  expect_refused(http.get(confirm_path(uploads[1])), 409, "CONFLICT");
}

TEST_F(UploadsTest, AnUploadThatIsBeingConfirmedGivesNoWay) {
  const auto held = uploaded("name,email\nA,held@example.com\n");
  const auto next = uploaded("name,email\nAda,\n");
  for (int i = 2; i < 20; ++i) uploaded("name,email\nAda,\n");
  Session holder = world.database.connect();
  holder.exec("begin");
  holder.exec("insert into customers (business_id, name, email) values ('" + tenant.id +
              "', 'A', 'held@example.com')");
  int status = 0;
  std::jthread confirmation([&] { status = http.with_token(http.token()).get(confirm_path(held)).status; });
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from pg_stat_activity where datname = current_database()"
               " and wait_event_type = 'Lock' and query like '%customer_upload%'") > 0;
  }));
  expect_refused(http.del(std::string(upload_path) + "/" + held), 409, "CONFLICT");
  uploaded("name,email\nAda,\n");
  EXPECT_EQ(at(preview(next), "total"), 1) << "the twenty others are within the limit";
  uploaded("name,email\nAda,\n");
  expect_refused(http.get(std::string(upload_path) + "/" + next), 404, "NOT_FOUND");
  holder.exec("rollback");
  confirmation.join();
  EXPECT_EQ(status, 200);
}

TEST_F(UploadsTest, AnUnconfirmedUploadCanBeDiscarded) {
  const auto guid = uploaded("name,email\nAda,\n");
  const auto path = std::string(upload_path) + "/" + guid;
  expect_refused(other_business().http.del(path), 404, "NOT_FOUND");
  const auto response = http.del(path);
  EXPECT_EQ(response.text, R"({"success":true})");
  for (const auto& refused : {http.get(path), http.get(confirm_path(guid)), http.del(path)})
    expect_refused(refused, 404, "NOT_FOUND");
  EXPECT_EQ(tenant.sql.number("select count(*) from customer_upload_parts where upload_id = $1", {guid}), 0);
  const auto confirmed = uploaded("name,email\nAda,\n");
  ASSERT_EQ(http.get(confirm_path(confirmed)).status, 200);
  expect_refused(http.del(std::string(upload_path) + "/" + confirmed), 409, "CONFLICT");
  EXPECT_EQ(customers(), 1);
}

TEST_F(UploadsTest, ADutyDeletesExpiredUploads) {
  const auto expired = uploaded("name,email\nAda,\n");
  const auto waiting = uploaded("name,email\nBob,\n");
  const auto confirmed = uploaded("name,email\nCy,\n");
  EXPECT_EQ(http.get(confirm_path(confirmed)).status, 200);
  tenant.sql.rows(
      "update customer_uploads set created_at = now() - interval '25 hours' where guid in ($1, $2)",
      {expired, confirmed});
  world.database.make_duties_due();
  const Waybill worker(world.waybill.database_url(),
                       {.command = "worker", .secret_key_file = world.waybill.secret_key_file()});
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from customer_uploads where guid = $1", {expired}) == 0;
  }));
  EXPECT_EQ(tenant.sql.number("select count(*) from customer_upload_parts where upload_id = $1", {expired}),
            0);
  EXPECT_EQ(at(preview(waiting), "total"), 1);
  expect_refused(http.get(confirm_path(confirmed)), 409, "CONFLICT");
}

TEST_F(UploadsTest, AnUploadOfAnotherBusinessIs404) {
  const auto guid = uploaded("name,email\nAda,\n");
  auto& other = other_business().http;
  expect_refused(other.get(std::string(upload_path) + "/" + guid), 404, "NOT_FOUND");
  expect_refused(other.get(confirm_path(guid)), 404, "NOT_FOUND");
  expect_refused(http.get(confirm_path(unknown_guid)), 404, "NOT_FOUND");
  expect_invalid(http.get(confirm_path("x")), {"guid"});
  expect_invalid(http.get("/api/v1/Customers/confirm-upload"), {"guid"});
}

TEST_F(UploadsTest, ConcurrentConfirmationsTakeEffectOnce) {
  std::string csv = "name,email\n";
  for (int i = 0; i < 6'000; ++i) csv += "A,a" + std::to_string(i) + "@example.com\n";
  const auto guid = uploaded(csv);
  const auto other = uploaded(csv);
  std::vector<int> statuses(3);
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      workers.emplace_back([&, i] {
        auto client = http.with_token(http.token());
        statuses[i] = client.get(confirm_path(i == 2 ? other : guid)).status;
      });
    }
  }
  std::ranges::sort(statuses.begin(), statuses.begin() + 2);
  EXPECT_EQ(statuses, (std::vector<int>{200, 409, 200}));
  EXPECT_EQ(customers(), 6'000);
}

TEST_F(UploadsTest, WaitingConfirmationsDelayNoOtherBusiness) {
  constexpr std::size_t several = 16;
  std::vector<std::string> uploads;
  for (std::size_t i = 0; i < several; ++i) uploads.push_back(uploaded("name,email\nA,held@example.com\n"));
  auto& quiet = other_business();  // created first, because that takes a while
  EXPECT_EQ(quiet.http.post("/api/v1/Customers", {{"name", "before"}}).status, 201);

  Session holder = world.database.connect();
  holder.exec("begin");
  holder.exec("insert into customers (business_id, name, email) values ('" + tenant.id +
              "', 'A', 'held@example.com')");
  std::vector<int> statuses(several);
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < several; ++i) {
    workers.emplace_back(
        [&, i] { statuses[i] = http.with_token(http.token()).get(confirm_path(uploads[i])).status; });
  }
  const auto waiting = [&] {
    return tenant.sql.number(
        "select count(*) from pg_stat_activity where datname = current_database()"
        " and wait_event_type = 'Lock' and query like '%customer_upload%'");
  };
  ASSERT_TRUE(eventually([&] { return waiting() > 0; }));
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    const auto made = quiet.http.post("/api/v1/Customers", {{"name", "beside"}},
                                      {{"Idempotency-Key", "beside " + std::to_string(i)}});
    EXPECT_EQ(made.status, 201) << made.text;
  }
  auto anonymous = http.with_token("");
  const auto login =
      anonymous.post("/api/user/login", {{"email", "x@example.com"}, {"password", "wrong wrong"}});
  EXPECT_EQ(login.status, 401) << login.text;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
  EXPECT_EQ(waiting(), 1) << "the others wait without a connection";
  holder.exec("rollback");
  workers.clear();
  EXPECT_EQ(std::ranges::count(statuses, 200), static_cast<std::ptrdiff_t>(several));
}

TEST_F(UploadsTest, ASecondConfirmationIsAnsweredAtOnce) {
  const auto guid = uploaded("name,email\nA,held@example.com\n");
  Session holder = world.database.connect();
  holder.exec("begin");
  holder.exec("insert into customers (business_id, name, email) values ('" + tenant.id +
              "', 'A', 'held@example.com')");
  int status = 0;
  std::jthread first([&] { status = http.with_token(http.token()).get(confirm_path(guid)).status; });
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from pg_stat_activity where datname = current_database()"
               " and wait_event_type = 'Lock' and query like '%customer_upload%'") > 0;
  }));
  const auto begun = std::chrono::steady_clock::now();
  expect_refused(http.get(confirm_path(guid)), 409, "CONFLICT");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
  holder.exec("rollback");
  first.join();
  EXPECT_EQ(status, 200);
}

TEST_F(UploadsTest, WaitingWritesOfOneBusinessDelayNoOther) {
  auto& quiet = other_business();
  EXPECT_EQ(quiet.http.post("/api/v1/Customers", {{"name", "before"}}).status, 201);
  Session holder = world.database.connect();
  holder.exec("begin");
  holder.exec("insert into customers (business_id, name, email) values ('" + tenant.id +
              "', 'A', 'held@example.com')");
  std::vector<std::jthread> workers;
  for (int i = 0; i < 16; ++i) {
    workers.emplace_back([&] {
      http.with_token(http.token()).post("/api/v1/Customers", {{"name", "B"}, {"email", "held@example.com"}});
    });
  }
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from pg_stat_activity where datname = current_database()"
               " and wait_event_type = 'Lock' and query like '%insert into customers%'") >= 3;
  }));
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(quiet.http.post("/api/v1/Customers", {{"name", "beside"}}).status, 201);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
  holder.exec("rollback");
}

std::int64_t peak_kilobytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6));
  }
  return 0;
}

TEST_F(UploadsTest, AHundredThousandCustomersAreImportedInLessThan100MB) {
  std::string csv(header);
  for (int i = 0; i < 100'000; ++i) {
    const auto n = std::to_string(i);
    csv += "Customer " + n + ",customer" + n + "@example.com,+49 30 " + n + ",Company " +
           std::to_string(i % 500) + ',' + std::to_string(i % 200) + " Main Street,City " +
           std::to_string(i % 300) + ",,10115,DE\r\n";
  }
  Waybill api(world.waybill.database_url(),
              {.command = "api", .secret_key_file = world.waybill.secret_key_file()});
  auto client = api.http(http.token());
  client.set_deadline(std::chrono::minutes(2));  // longer than any limit tested below
  EXPECT_EQ(client.get("/api/v1/Customers").status, 200);
  const auto before = peak_kilobytes(api.process().pid());
  const auto response = upload_to(client, csv);
  ASSERT_EQ(response.status, 201) << response.text;
  ASSERT_EQ(client.get(confirm_path(response.data().as_string())).status, 200);
  [[maybe_unused]] const auto grown = (peak_kilobytes(api.process().pid()) - before) / 1024;
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  EXPECT_LT(grown, 100);
#endif
  EXPECT_EQ(customers(), 100'000);
}

}  // namespace
}  // namespace waybill::tests
