# The Debian package: `./dev package`.
foreach(text waybill.1 changelog)
  set(packed ${CMAKE_BINARY_DIR}/package/${text}.gz)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
  execute_process(COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/deploy/debian/${text} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/deploy/debian/${text})
endforeach()

set(readable PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
install(TARGETS waybill RUNTIME DESTINATION usr/bin)
install(FILES deploy/systemd/waybill.service deploy/systemd/waybill-api@.service deploy/systemd/waybill-worker@.service
        DESTINATION lib/systemd/system ${readable})
install(FILES deploy/systemd/waybill.sysusers DESTINATION usr/lib/sysusers.d RENAME waybill.conf ${readable})
# The settings may contain a password.
install(FILES deploy/systemd/waybill.toml DESTINATION etc/waybill PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
# The documents, and what those for operators link to, at the same paths as in the repository.
install(DIRECTORY docs DESTINATION usr/share/doc/waybill FILES_MATCHING PATTERN *.md PATTERN *.svg)
install(FILES deploy/README.md deploy/grafana-dashboard.json DESTINATION usr/share/doc/waybill/deploy ${readable})
install(DIRECTORY deploy/helm deploy/patroni deploy/prometheus DESTINATION usr/share/doc/waybill/deploy)
install(FILES deploy/debian/copyright ${CMAKE_BINARY_DIR}/package/changelog.gz DESTINATION usr/share/doc/waybill ${readable})
install(FILES ${CMAKE_BINARY_DIR}/package/waybill.1.gz DESTINATION usr/share/man/man1 ${readable})
install(FILES deploy/debian/lintian-overrides DESTINATION usr/share/lintian/overrides RENAME waybill ${readable})

# A package needs the program alone, not the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME waybill)
set(CPACK_PACKAGE_VENDOR waybill)
set(CPACK_PACKAGE_CONTACT "waybill <maintainers@waybill.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "workflow and integration worker with a REST API on PostgreSQL")
set(CPACK_PACKAGE_DESCRIPTION
    "waybill keeps orders, shipments, customers and products behind a REST API,
and runs workflows when they change: signed webhooks, mails, push messages.
.
waybill.service runs everything on one machine, with its own PostgreSQL.
waybill-api@.service and waybill-worker@.service run on an existing one.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, systemd | systemd-standalone-sysusers")
# Labels in other scripts than those of DejaVu Sans need fonts.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "postgresql-15, fonts-noto-core, fonts-noto-cjk")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/deploy/debian/conffiles;${CMAKE_SOURCE_DIR}/deploy/debian/postinst;${CMAKE_SOURCE_DIR}/deploy/debian/prerm;${CMAKE_SOURCE_DIR}/deploy/debian/postrm)
include(CPack)
