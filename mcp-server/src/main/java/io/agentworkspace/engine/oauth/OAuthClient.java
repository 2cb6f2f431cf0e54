package io.agentworkspace.engine.oauth;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A program that users give access to.
 *
 * @param id its id: given at its registration, or the address of its metadata document
 * @param secretHash the hash of its secret; null for a public client
 */
record OAuthClient(String id, String name, List<String> redirectUris, byte @Nullable [] secretHash) {}
