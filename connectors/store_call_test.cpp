#include "connectors/store_call.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

std::string json_in(std::string body) {
  net::HttpResponse response;
  response.status = 200;
  response.body = std::move(body);
  try {
    return to_json(json_of(response));
  } catch (const StoreError& error) {
    EXPECT_EQ(error.problem(), StoreProblem::wrong_store);
    return "none";
  }
}

// RFC 8259, section 8.1: a reader may ignore a byte order mark.
TEST(StoreAnswer, MayBeginWithAByteOrderMarkAndWhiteSpace) {
  for (const auto* const before : {"", "\ufeff", "\n\n", " \ufeff\n", "\ufeff\ufeff", "\r\n\t"}) {
    EXPECT_EQ(json_in(std::string(before) + R"([{"id":1}])"), R"([{"id":1}])");
    EXPECT_EQ(json_in(std::string(before) + R"({"id":1})" + before), R"({"id":1})");
  }
}

TEST(StoreAnswer, MayStandBetweenMessagesOfPhpAndACommentOfACache) {
  EXPECT_EQ(json_in("<br />\n<b>Warning</b>:  Undefined variable $x in <b>/x.php</b> on line <b>7</b><br />\n"
                    "<br />\n<b>Deprecated</b>:  [] {} in <b>/x.php</b> on line <b>7</b><br />\n[1]"),
            "[1]");
  EXPECT_EQ(json_in("\ufeff\nNotice: Undefined index in /x.php on line 7\n{\"a\":1}"), "{\"a\":1}");
  EXPECT_EQ(json_in("[1]\n<!-- Cached page -->\n"), "[1]");
  for (const std::string after :
       {"<br />\n<b>Warning</b>:  session_write_close(): Failed in <b>/x.php</b><br />\n",
        "\nNotice: Undefined index in /x.php on line 7\n"})
    EXPECT_EQ(json_in("[1]" + after), "[1]");
}

TEST(StoreUrl, MayHaveAHostBeyondAscii) {
  for (const auto* const url : {"https://bücher.example/shop/", " https://BÜCHER.example:443/shop",
                                "https://xn--bcher-kva.example/shop"})
    EXPECT_EQ(normal_store_url(url), "https://xn--bcher-kva.example/shop");
  EXPECT_THROW(normal_store_url("https://\uE000ü.example"), std::invalid_argument) << "no such domain";
  EXPECT_THROW(normal_store_url("https://a＠bücher.example"), std::invalid_argument)
      << "the mapping makes a user of it";
}

TEST(StoreAnswer, OfAnotherKindIsRefused) {
  for (const auto* const body :
       {"", "\ufeff", "<!DOCTYPE html><html>", "[1] more", "[1][2]", "{\"a\":}", "text [1]",
        "<br />\n<b>Fatal error</b>:  Allowed memory size of 268435456 bytes exhausted in <b>/x.php</b> on "
        "line <b>7</b><br />\n",
        "[{\"id\":1},<br />\n<b>Fatal error</b>: Allowed memory size exhausted<br />\n"}) {
    EXPECT_EQ(json_in(body), "none") << body;
  }
}

TEST(StoreAnswer, ThatIsCutOffIsThatOfABusyStore) {
  net::HttpResponse response;
  response.status = 200;
  for (const auto* const body : {"[1", "{", R"({"data":{"orders":[{"id":"gid)", "\ufeff[{\"id\":1},"}) {
    response.body = body;
    try {
      json_of(response);
      ADD_FAILURE() << body;
    } catch (const StoreError& error) {
      EXPECT_EQ(error.problem(), StoreProblem::busy) << body;
    }
  }
}

TEST(StoreProblems, ThatMayDependOnTheNumberOfRecords) {
  const auto depends = [](StoreProblem problem, std::optional<Duration> wait = std::nullopt) {
    return may_depend_on_size(StoreError(problem, "x", wait));
  };
  EXPECT_TRUE(depends(StoreProblem::busy));
  EXPECT_TRUE(depends(StoreProblem::wrong_store));
  EXPECT_TRUE(depends(StoreProblem::refused));
  EXPECT_TRUE(depends(StoreProblem::failing));
  EXPECT_TRUE(depends(StoreProblem::failing, std::chrono::seconds(1)));
  EXPECT_FALSE(depends(StoreProblem::busy, std::chrono::seconds(1)));
  EXPECT_FALSE(depends(StoreProblem::credentials));
  EXPECT_FALSE(depends(StoreProblem::unreachable));
  EXPECT_FALSE(depends(StoreProblem::tls));
}

}  // namespace
}  // namespace waybill::connectors
