package io.agentworkspace.engine.identity;

/** What a request presents to prove who asks: a key, the cookie of a browser's session, or a token made from one. */
public sealed interface Presented permits ApiKey, SessionSecret, AccessToken {}
