package io.agentworkspace.engine.credentials;

/**
 * What a request presents to prove who asks: a key, the cookie of a browser's session, a token made from one, or the token of
 * another issuer.
 */
public sealed interface Presented permits ApiKey, SessionSecret, AccessToken, IssuedToken {}
