# Writes the names of all zones and links of the IANA time zone database as C++ string literals. Run with
# -D SOURCE=tzdata.zi -D OUTPUT=... -P.
cmake_policy(VERSION 3.25)
# zic(8): "Z NAME ..." is a zone, "L TARGET NAME" a link. "Factory" stands for a zone that is not set.
file(STRINGS ${SOURCE} lines REGEX "^[ZL] ")
set(names "")
foreach(line ${lines})
  if(line MATCHES "^Z ([^ ]+)")
    list(APPEND names ${CMAKE_MATCH_1})
  elseif(line MATCHES "^L [^ ]+ ([^ ]+)")
    list(APPEND names ${CMAKE_MATCH_1})
  endif()
endforeach()
list(REMOVE_ITEM names Factory)
list(SORT names)
list(TRANSFORM names REPLACE "(.+)" "    \"\\1\",\n")
list(JOIN names "" text)
file(WRITE ${OUTPUT} "${text}")
