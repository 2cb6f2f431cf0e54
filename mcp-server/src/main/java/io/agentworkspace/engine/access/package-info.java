/** Who may do what: the checks that all features share, and which rows a caller sees. */
@NullMarked
package io.agentworkspace.engine.access;

import org.jspecify.annotations.NullMarked;
