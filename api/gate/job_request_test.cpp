#include "api/gate/job_request.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

bool prefers(std::string_view fields) {
  return prefers_job("POST /x HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n");
}

TEST(JobRequest, TheFieldPreferSelectsAJob) {
  EXPECT_TRUE(prefers("Prefer: respond-async\r\n"));
  EXPECT_TRUE(prefers("prefer:Respond-Async; wait=5\r\n"));
  EXPECT_TRUE(prefers("Prefer: return=minimal , respond-async\r\n"));
  EXPECT_TRUE(prefers("Prefer: wait=3\r\nPrefer: respond-async\r\n")) << "the field can be repeated";
  EXPECT_TRUE(prefers("Prefer: note=\"a\\\",\", respond-async\r\n"));
}

TEST(JobRequest, OtherTextsSelectNone) {
  EXPECT_FALSE(prefers(""));
  EXPECT_FALSE(prefers("Prefer: respond-asynchronously\r\n"));
  EXPECT_FALSE(prefers("Prefer: note=\"a, respond-async\"\r\n")) << "a quoted text is one value";
  EXPECT_FALSE(prefers("Prefer: \"\r\n"));
  EXPECT_FALSE(prefers("Prefer: note=\"\\"));
  EXPECT_FALSE(prefers("X-Prefer: respond-async\r\n"));
}

constexpr Parameter job_parameters[] = {{.name = "guid", .kind = Kind::uuid}};
constexpr Endpoint endpoint{.method = Method::post,
                            .path = "/x/{id}",
                            .permission = Permission::operate,
                            .handler = nullptr,
                            .query = job_parameters};

TEST(JobRequest, AStoredCallIsReadAsItWas) {
  const Guid id = Guid::random();
  const std::string address = "192.0.2.1";
  const Call call{.principal = {.business_id = Guid::random(),
                                .token_id = Guid::random(),
                                .user_id = Guid::random(),
                                .name = "Ada \"A\"\n",
                                .role = Role::operator_,
                                .caller = Caller::user},
                  .ids = {id},
                  .query = {{"guid", id.to_string()}},
                  .body = json::object{{"price", 19.99}, {"text", "a\nb"}},
                  .request_id = "r-1",
                  .raw_body = std::string("a\0b\nc", 5),
                  .content_type = "multipart/form-data; boundary=x",
                  .peer = address,
                  .is_audited = true,
                  .is_bulk = true};
  std::string peer;
  const Call read = read_stored_call(stored_call(call), endpoint, peer);
  EXPECT_EQ(read.cause().json, call.cause().json) << "author, request and address";
  EXPECT_EQ(read.business(), call.business());
  EXPECT_EQ(read.principal.role, Role::operator_);
  EXPECT_EQ(read.ids, call.ids);
  EXPECT_EQ(read.parameter("guid"), id.to_string());
  EXPECT_EQ(read.body, call.body);
  EXPECT_EQ(read.raw_body, call.raw_body);
  EXPECT_EQ(read.content_type, call.content_type);
  EXPECT_TRUE(read.is_bulk);
}

TEST(JobRequest, ABodyOfTheGreatestDepthIsStored) {
  json::value body = 1;
  for (int depth = 0; depth < 32; ++depth) body = json::array{std::move(body)};
  const std::string address;
  std::string peer;
  EXPECT_EQ(read_stored_call(stored_call({.body = body, .peer = address}), endpoint, peer).body, body);
}

TEST(JobRequest, AnotherTextIsNoStoredCall) {
  std::string peer;
  EXPECT_THROW(read_stored_call("", endpoint, peer), std::exception);
  EXPECT_THROW(read_stored_call("{}\n", endpoint, peer), std::exception);
  EXPECT_THROW(read_stored_call("{\n", endpoint, peer), std::exception);
}

}  // namespace
}  // namespace waybill::api
