package io.agentworkspace.engine.model.upload;

/**
 * A file that a REST request may carry as it is, instead of as base64 in a field.
 *
 * @param field the field that the file replaces
 * @param isStreamed whether it is stored while it arrives, since it may be larger than other bodies
 */
public record RawUpload(String field, String mediaType, boolean isStreamed) {}
