package io.agentworkspace.engine.identity.credentials;

/**
 * What a request presents to prove who the caller is: a key, the cookie of a browser's session, a token made from
 * one, or another issuer's token.
 */
public sealed interface Presented permits ApiKey, SessionSecret, AccessToken, IssuedToken {}
