/** Push notifications of A2A: where tasks are sent when they change, and the worker that sends them. */
@NullMarked
package io.agentworkspace.engine.a2a.push;

import org.jspecify.annotations.NullMarked;
