// Package isolate x
package isolate
