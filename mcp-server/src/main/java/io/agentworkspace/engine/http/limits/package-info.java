/** The limits of requests: their rate, their size, and each caller's share of the server. */
@NullMarked
package io.agentworkspace.engine.http.limits;

import org.jspecify.annotations.NullMarked;
