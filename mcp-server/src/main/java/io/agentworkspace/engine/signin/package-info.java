/** Signing in: sessions of browsers, the tokens made from them, and the routes below {@code /api/auth}. */
@NullMarked
package io.agentworkspace.engine.signin;

import org.jspecify.annotations.NullMarked;
