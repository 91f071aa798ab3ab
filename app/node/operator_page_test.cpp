#include "app/node/operator_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::app {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(OperatorPage, EscapesWhatTheDatabaseContains) {
  const std::string hostile = "<script>alert('x')</script>\"&";
  const std::string page =
      operator_page({.tables = {{.title = hostile, .columns = {hostile}, .rows = {{hostile}}, .fault = {}},
                                {.title = "b", .columns = {}, .rows = {}, .fault = hostile}},
                     .read_at = {},
                     .fault = hostile});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
}

TEST(OperatorPage, RefreshesItselfAndSaysWhyItIsNotOfNow) {
  const std::string page =
      operator_page({.tables = {}, .read_at = {}, .fault = "The database is unavailable."});
  EXPECT_THAT(page, HasSubstr(R"(<meta http-equiv="refresh" content="5">)"));
  EXPECT_THAT(page, HasSubstr(R"(<p class="fault">The database is unavailable.</p>)"));
}

TEST(OperatorPage, ShowsWhyATableCouldNotBeRead) {
  const std::string page = operator_page(
      {.tables = {{.title = "Standbys", .columns = {}, .rows = {}, .fault = "permission denied"}},
       .read_at = {},
       .fault = {}});
  EXPECT_THAT(page, HasSubstr("Standbys</h2>\n<p class=\"fault\">permission denied</p>"));
}

}  // namespace
}  // namespace waybill::app
