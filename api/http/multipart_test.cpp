#include "api/http/multipart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr std::string_view type = "multipart/form-data; boundary=x";

std::vector<std::pair<std::string, std::string>> parts_of(std::string_view body,
                                                          std::string_view content_type = type) {
  const auto parsed = parse_form(content_type, body);
  if (const auto* const problem = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  std::vector<std::pair<std::string, std::string>> parts;
  for (const auto& part : std::get<std::vector<FormPart>>(parsed))
    parts.emplace_back(part.name, part.content);
  return parts;
}

std::string problem_of(std::string_view body, std::string_view content_type = type) {
  const auto parsed = parse_form(content_type, body);
  const auto* const problem = std::get_if<std::string>(&parsed);
  return problem == nullptr ? "" : *problem;
}

std::string part(std::string_view head, std::string_view content) {
  return "--x\r\n" + std::string(head) + "\r\n\r\n" + std::string(content) + "\r\n";
}

constexpr std::string_view file_head = R"(Content-Disposition: form-data; name="file"; filename="a;b.csv")";

TEST(Multipart, PartsAreFoundByTheirNames) {
  EXPECT_THAT(parts_of(part(file_head, "a,b\r\nc,d\r\n") +
                       part("content-type: text/plain\r\ncontent-disposition: FORM-DATA; NAME=other", "1") +
                       "--x--\r\n"),
              ElementsAre(Pair("file", "a,b\r\nc,d\r\n"), Pair("other", "1")));
}

TEST(Multipart, PreambleAndEpilogueAreDropped) {
  EXPECT_THAT(parts_of("hello\r\n" + part(file_head, "1") + "--x--\r\nbye"), ElementsAre(Pair("file", "1")));
  EXPECT_THAT(parts_of("--x--"), IsEmpty());
}

TEST(Multipart, BlanksMayFollowABoundary) {
  EXPECT_THAT(parts_of("--x \t\r\n" + std::string(file_head) + "\r\n\r\n1\r\n--x--"),
              ElementsAre(Pair("file", "1")));
}

TEST(Multipart, ContentMayLookLikeABoundary) {
  const std::string content = "--x\r\n--xy\r\n\r\n--x-\r\n-- x--";
  EXPECT_THAT(parts_of(part(file_head, "a--x--" + content.substr(3)) + "--x--"),
              ElementsAre(Pair("file", "a--x--" + content.substr(3))));
}

TEST(Multipart, ContentMayBeEmpty) {
  EXPECT_THAT(parts_of(part(file_head, "") + "--x--"), ElementsAre(Pair("file", "")));
  EXPECT_THAT(parts_of("--x\r\n" + std::string(file_head) + "\r\n\r\n--x--"), ElementsAre(Pair("file", "")));
}

TEST(Multipart, BoundariesMayBeQuoted) {
  EXPECT_THAT(parts_of("--a b;c\r\n" + std::string(file_head) + "\r\n\r\n1\r\n--a b;c--",
                       R"(multipart/form-data; charset=utf-8; Boundary="a b;c")"),
              ElementsAre(Pair("file", "1")));
  EXPECT_THAT(problem_of("", "multipart/form-data; boundary=" + std::string(71, 'b')), HasSubstr("boundary"));
  EXPECT_THAT(problem_of("", "multipart/form-data"), HasSubstr("boundary"));
}

TEST(Multipart, NamesMayHoldQuotes) {
  EXPECT_EQ(header_parameter(R"(form-data; name="a\"b\\"; x=y)", "name"), R"(a"b\)");
  EXPECT_EQ(header_parameter(R"(form-data; filename="name=x"; name=y )", "name"), "y");
  EXPECT_EQ(header_parameter("form-data; name=\"open", "name"), "open");
  EXPECT_EQ(header_parameter("form-data; name", "name"), "");
  EXPECT_EQ(header_parameter("form-data", "name"), "");
}

TEST(Multipart, RefusesMalformedForms) {
  EXPECT_THAT(problem_of(""), HasSubstr("ends with its boundary"));
  EXPECT_THAT(problem_of(part(file_head, "cut off")), HasSubstr("ends with its boundary"));
  EXPECT_THAT(problem_of("--x\r\nContent-Disposition: form-data; name=a"), HasSubstr("incomplete head"));
  EXPECT_THAT(problem_of(part("X: " + std::string(8'192, 'x'), "1") + "--x--"), HasSubstr("incomplete head"));
  EXPECT_THAT(problem_of(part("Content-Type: text/csv", "1") + "--x--"), HasSubstr("without a name"));
  EXPECT_THAT(problem_of("--x\r\n\r\n1\r\n--x--"), HasSubstr("without a name"));
  EXPECT_THAT(problem_of(part("Content-Disposition: attachment; name=a", "1") + "--x--"),
              HasSubstr("not form-data"));
  EXPECT_THAT(
      problem_of(part(std::string(file_head) + "\r\nContent-Transfer-Encoding: base64", "MQ==") + "--x--"),
      HasSubstr("Content-Transfer-Encoding"));
  EXPECT_THAT(parts_of(part(std::string(file_head) + "\r\nContent-Transfer-Encoding: Binary", "1") + "--x--"),
              ElementsAre(Pair("file", "1")));
}

TEST(Multipart, ThereAreAtMost100Parts) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += part(file_head, "1");
  EXPECT_EQ(parts_of(body + "--x--").size(), 100U);
  EXPECT_THAT(problem_of(body + part(file_head, "1") + "--x--"), HasSubstr("more than 100"));
}

}  // namespace
}  // namespace waybill::api
