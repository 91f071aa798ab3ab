#include "connectors/easypost/webhook.hpp"

#include <gtest/gtest.h>

#include "base/crypto.hpp"

namespace waybill::connectors::easypost {
namespace {

using Kind = GatewayHint::Kind;

constexpr std::string_view event = R"({"id":"evt_1","object":"Event","description":"tracker.updated",
  "result":{"id":"trk_1","object":"Tracker","tracking_code":"9400","status":"delivered","weight":15.0}})";

std::string signature(std::string_view secret, std::string_view body) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(secret.data());
  return "hmac-sha256-hex=" + hex(hmac_sha256({bytes, secret.size()}, body));
}

GatewayHint read(std::string_view secret, std::string_view body,
                 const std::optional<std::string>& signed_as) {
  return read_event(secret,
                    {.body = body, .header = [&](std::string_view name) -> std::optional<std::string_view> {
                       if (name == "x-hmac-signature" && signed_as) return *signed_as;
                       return std::nullopt;
                     }});
}

TEST(EasyPostWebhook, ASignedEventOfATrackerIsAHint) {
  const auto hint = read("s3cret", event, signature("s3cret", event));
  EXPECT_EQ(hint.kind, Kind::hint);
  EXPECT_EQ(hint.tracking_number, "9400");
  EXPECT_EQ(hint.delivery_id, "evt_1");
}

TEST(EasyPostWebhook, TheSecretIsUsedInItsNfkdForm) {
  const std::string secret = "sécret";
  const std::string decomposed =
      "se\xCC\x81"
      "cret";
  EXPECT_EQ(read(secret, event, signature(decomposed, event)).kind, Kind::hint);
  EXPECT_EQ(read("\xEF\xBC\xA1", event, signature("A", event)).kind, Kind::hint);
}

TEST(EasyPostWebhook, ASecretThatIsNotTextIsUsedAsItIs) {
  EXPECT_EQ(read("\xFF\xFE", event, signature("\xFF\xFE", event)).kind, Kind::hint);
}

TEST(EasyPostWebhook, AWrongMissingOrForeignSignatureIsRefused) {
  EXPECT_EQ(read("s3cret", event, signature("other", event)).kind, Kind::bad_signature);
  EXPECT_EQ(read("s3cret", event, std::nullopt).kind, Kind::bad_signature);
  EXPECT_EQ(read("s3cret", event, "").kind, Kind::bad_signature);
  EXPECT_EQ(read("s3cret", std::string(event) + " ", signature("s3cret", event)).kind, Kind::bad_signature);
  EXPECT_EQ(read("", event, signature("", event)).kind, Kind::bad_signature);
}

TEST(EasyPostWebhook, OtherSignedCallsArePings) {
  for (const std::string_view body :
       {R"({"id":"evt_2","description":"batch.created","result":{"tracking_code":"9400"}})", "no json", "[]",
        R"({"description":"tracker.updated","result":null})", R"({"description":7})"}) {
    const auto hint = read("s3cret", body, signature("s3cret", body));
    EXPECT_EQ(hint.kind, Kind::ping) << body;
    EXPECT_TRUE(hint.tracking_number.empty());
  }
}

}  // namespace
}  // namespace waybill::connectors::easypost
