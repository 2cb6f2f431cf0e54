/**
 * The authorization server for MCP clients that know only OAuth 2.1: {@code OAuthEndpoint} has the routes, {@code Consent}
 * what a user decides, {@code TokenIssuer} what programs get for it.
 */
@NullMarked
package io.agentworkspace.engine.identity.oauth;

import org.jspecify.annotations.NullMarked;
