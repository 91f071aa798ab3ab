#include "base/error.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(Errors, HaveTheStatusAndCodeOfTheContract) {
  struct Case {
    ErrorCode code;
    int status;
    std::string_view text;
  };
  for (const auto& [code, status, text] : {
           Case{ErrorCode::validation_error, 400, "VALIDATION_ERROR"},
           Case{ErrorCode::configuration_error, 400, "CONFIGURATION_ERROR"},
           Case{ErrorCode::unauthorized, 401, "UNAUTHORIZED"},
           Case{ErrorCode::forbidden, 403, "FORBIDDEN"},
           Case{ErrorCode::not_found, 404, "NOT_FOUND"},
           Case{ErrorCode::method_not_allowed, 405, "METHOD_NOT_ALLOWED"},
           Case{ErrorCode::conflict, 409, "CONFLICT"},
           Case{ErrorCode::payload_too_large, 413, "PAYLOAD_TOO_LARGE"},
           Case{ErrorCode::unsupported_media_type, 415, "UNSUPPORTED_MEDIA_TYPE"},
           Case{ErrorCode::rate_limited, 429, "RATE_LIMITED"},
           Case{ErrorCode::internal_error, 500, "INTERNAL_ERROR"},
           Case{ErrorCode::unavailable, 503, "UNAVAILABLE"},
       }) {
    EXPECT_EQ(http_status(code), status);
    EXPECT_EQ(code_text(code), text);
  }
}

TEST(Errors, InvalidCarriesItsDetails) {
  const Failure failure = invalid("items[2].quantity", "must be at least 1");
  EXPECT_EQ(failure.code(), ErrorCode::validation_error);
  EXPECT_EQ(failure.details(), (FieldErrors{{"items[2].quantity", "must be at least 1"}}));
  EXPECT_EQ(not_found("order").code(), ErrorCode::not_found);
  EXPECT_EQ(not_found("order").message(), "There is no such order.");
  EXPECT_EQ(conflict("taken").code(), ErrorCode::conflict);
}

TEST(Errors, InvalidLeavesOutDetailsBeyondTheMost) {
  FieldErrors details(most_field_errors + 1, {"field", "is required"});
  details.front().field = "first";
  EXPECT_EQ(invalid(details).details().size(), most_field_errors);
  EXPECT_EQ(invalid(details).details().front().field, "first");
}

}  // namespace
}  // namespace waybill
