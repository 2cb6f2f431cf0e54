/** The lowest layer: what a tool is, how it is described, how it fails, and what a response looks like. */
@NullMarked
package io.agentworkspace.engine.model;

import org.jspecify.annotations.NullMarked;
