/** The HTTP server: its assembly, and the gate that every request passes before it reaches a door. */
@NullMarked
package io.agentworkspace.engine.http;

import org.jspecify.annotations.NullMarked;
