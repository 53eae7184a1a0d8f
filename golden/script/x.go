package script
var X int
