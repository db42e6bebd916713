@problemName gaps
@univariate true
@equalLength true
@seriesLength 4
@classLabel true a b
@data
1,,2,4:a
2,3,,5:b
,3,1,5:b
