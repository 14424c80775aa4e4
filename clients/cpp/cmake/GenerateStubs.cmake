# Generates the messages and stubs of memoryd.v1, the messages of google.api that their headers include, and those of
# google.rpc that errors carry.

get_filename_component(MEMORYD_PROTOS_DIR "${PROJECT_SOURCE_DIR}/../../protos" ABSOLUTE)
get_filename_component(MEMORYD_GOOGLEAPIS_DIR "${PROJECT_SOURCE_DIR}/../../third_party/googleapis" ABSOLUTE)
set(MEMORYD_STUBS_DIR "${PROJECT_BINARY_DIR}/stubs")
set(MEMORYD_GOOGLE_RPC_DIR "${PROJECT_BINARY_DIR}/google_rpc")

file(GLOB protos RELATIVE "${MEMORYD_PROTOS_DIR}" CONFIGURE_DEPENDS "${MEMORYD_PROTOS_DIR}/memoryd/v1/*.proto")
set(service_protos ${protos})
list(FILTER service_protos INCLUDE REGEX "_service\\.proto$")
set(google_api_protos google/api/annotations.proto google/api/field_behavior.proto google/api/http.proto)
set(google_rpc_protos google/rpc/status.proto google/rpc/error_details.proto)

function(memoryd_generate target import_dir output_dir)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "IMPORTS;MESSAGES;SERVICES")
  list(TRANSFORM arg_IMPORTS PREPEND "-I" OUTPUT_VARIABLE imports)
  set(sources)
  foreach(proto IN LISTS arg_MESSAGES)
    string(REGEX REPLACE "\\.proto$" ".pb" output "${output_dir}/${proto}")
    add_custom_command(
      OUTPUT "${output}.cc" "${output}.h"
      COMMAND protobuf::protoc "--cpp_out=${output_dir}" -I "${import_dir}" ${imports} "${proto}"
      DEPENDS "${import_dir}/${proto}" protobuf::protoc
      VERBATIM)
    list(APPEND sources "${output}.cc" "${output}.h")
  endforeach()
  foreach(proto IN LISTS arg_SERVICES)
    string(REGEX REPLACE "\\.proto$" ".grpc.pb" output "${output_dir}/${proto}")
    add_custom_command(
      OUTPUT "${output}.cc" "${output}.h"
      COMMAND protobuf::protoc "--grpc_out=${output_dir}"
              "--plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>" -I "${import_dir}" ${imports} "${proto}"
      DEPENDS "${import_dir}/${proto}" protobuf::protoc gRPC::grpc_cpp_plugin
      VERBATIM)
    list(APPEND sources "${output}.cc" "${output}.h")
  endforeach()
  file(MAKE_DIRECTORY "${output_dir}")
  add_library(${target} OBJECT ${sources})
  # Nobody debugs generated code, whose debug information takes a quarter of the time to compile it.
  target_compile_options(${target} PRIVATE -g0)
  target_include_directories(${target} SYSTEM PUBLIC "${output_dir}")
  target_link_libraries(${target} PUBLIC gRPC::grpc++ protobuf::libprotobuf)
endfunction()

memoryd_generate(memoryd_google_api "${MEMORYD_GOOGLEAPIS_DIR}" "${MEMORYD_STUBS_DIR}"
  MESSAGES ${google_api_protos})
memoryd_generate(memoryd_messages "${MEMORYD_PROTOS_DIR}" "${MEMORYD_STUBS_DIR}"
  IMPORTS "${MEMORYD_GOOGLEAPIS_DIR}" MESSAGES ${protos})
add_dependencies(memoryd_messages memoryd_google_api)
target_precompile_headers(memoryd_messages PRIVATE
  <google/protobuf/descriptor.h>
  <google/protobuf/duration.pb.h>
  <google/protobuf/generated_message_reflection.h>
  <google/protobuf/io/coded_stream.h>
  <google/protobuf/reflection_ops.h>
  <google/protobuf/struct.pb.h>
  <google/protobuf/timestamp.pb.h>
  <google/protobuf/wire_format.h>)
memoryd_generate(memoryd_services "${MEMORYD_PROTOS_DIR}" "${MEMORYD_STUBS_DIR}"
  IMPORTS "${MEMORYD_GOOGLEAPIS_DIR}" SERVICES ${service_protos})
add_dependencies(memoryd_services memoryd_messages)
# The stubs of all services in one compilation: the large headers of gRPC are read once. They hand messages to gRPC, which
# more optimization does not make faster.
set_target_properties(memoryd_services PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_compile_options(memoryd_services PRIVATE -O1)
memoryd_generate(memoryd_google_rpc "${MEMORYD_GOOGLEAPIS_DIR}" "${MEMORYD_GOOGLE_RPC_DIR}"
  MESSAGES ${google_rpc_protos})
