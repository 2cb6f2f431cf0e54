/**
 * Signing in: browser sessions, the access tokens made from them, identity providers, and the routes below
 * {@code /api/auth}.
 */
@NullMarked
package io.agentworkspace.engine.identity.signin;

import org.jspecify.annotations.NullMarked;
