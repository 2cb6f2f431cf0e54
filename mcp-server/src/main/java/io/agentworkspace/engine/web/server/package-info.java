/**
 * The HTTP server ({@code WebServer}), the {@code Gate} that every request passes, and {@code Endpoints}, which
 * passes it on by path.
 */
@NullMarked
package io.agentworkspace.engine.web.server;

import org.jspecify.annotations.NullMarked;
